// Curves of what the uncertainty foresaw, beside the table that evaluation.tables makes of it.
function drawForesight() {
  const chooser = byId("foresight-policy");
  if (!chooser) return;
  const rated = DATA.foresight[chooser.value];
  const style = { total: ["--ink", "solid"], aleatoric: ["--total", "dash"], epistemic: ["--epistemic", "dot"] };
  const curve = (kind, [x, y], label) => ({
    mode: "lines", x, y, name: kind + label, line: { color: colourOf(style[kind][0]), dash: style[kind][1], width: 2 },
  });
  const legend = { orientation: "h", y: 1, yanchor: "bottom", x: 0 };
  const empty = (text) => [{ text, showarrow: false, xref: "paper", yref: "paper", x: 0.5, y: 0.5, font: { color: colourOf("--soft") } }];
  const roc = rated.filter((one) => one.roc[0].length);
  Plotly.react(
    byId("roc"),
    roc.map((one) => curve(one.kind, one.roc, ` (${one.auroc.toFixed(2)})`)),
    layout({
      showlegend: true, legend,
      xaxis: axis("False alarm rate", { range: [0, 1] }),
      yaxis: axis("True alarm rate", { range: [0, 1.02] }),
      shapes: [{ type: "line", x0: 0, y0: 0, x1: 1, y1: 1, line: { color: colourOf("--soft"), width: 1, dash: "dash" } }],
      annotations: roc.length ? [] : empty("No departures to foresee"),
    }),
    CONFIG,
  );
  const risk = rated.filter((one) => one.risk_coverage[0].length);
  Plotly.react(
    byId("risk"),
    risk.map((one) => curve(one.kind, one.risk_coverage, "")),
    layout({
      showlegend: true, legend,
      xaxis: axis("Coverage: share of steps kept, surest first", { range: [0, 1] }),
      yaxis: axis("Mean largest |lateral error|<br>of the next second (units)", { rangemode: "tozero" }),
      annotations: risk.length ? [] : empty("No uncertainty stated"),
    }),
    CONFIG,
  );
}
