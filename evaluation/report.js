const LAPS = DATA.laps;
const ACTIONS = { steer: "Steer<br>(right +)", gas: "Gas", brake: "Brake" };
const COLOURS = {
  speed: { title: "Speed<br>(units/s)", of: (lap) => lap.speed },
  error: { title: "|Lateral<br>error|<br>(units)", of: (lap) => lap.error.map(Math.abs) },
  steer: { title: "Steer<br>(right +)", of: (lap) => lap.action_steer, range: [-1, 1] },
  epistemic: { title: "Epistemic<br>sigma<br>of steer", of: (lap) => lap.epistemic_steer },
  aleatoric: { title: "Aleatoric<br>sigma<br>of steer", of: (lap) => lap.aleatoric_steer },
};
let current = LAPS.length ? LAPS[0] : null;

function drawReturns() {
  const traces = [];
  const named = new Set();
  DATA.policies.forEach((policy, row) => {
    for (const completed of [true, false]) {
      const laps = DATA.table.filter((lap) => lap.policy === policy && lap.completed === completed);
      if (!laps.length) continue;
      traces.push({
        type: "scatter",
        mode: "markers",
        name: completed ? "lap completed" : "not completed",
        legendgroup: String(completed),
        showlegend: !named.has(completed),
        x: laps.map((lap) => lap.return),
        y: laps.map((lap) => row + 0.2 * Math.sin(2.4 * lap.lap)),
        text: laps.map((lap) => lap.map),
        customdata: laps.map((lap) => lap.id),
        hovertemplate: "%{text}<br>return %{x:.1f}<extra>" + escape(policy) + "</extra>",
        marker: {
          size: 10,
          opacity: 0.75,
          symbol: completed ? "circle" : "x",
          color: colourOf(completed ? "--total" : "--bad"),
        },
      });
      named.add(completed);
    }
  });
  const ticks = DATA.policies.map((_, row) => row);
  const plot = byId("returns");
  Plotly.react(
    plot,
    traces,
    layout({
      height: 130 + 70 * ticks.length,
      showlegend: true,
      legend: { orientation: "h", y: 1, yanchor: "bottom", x: 0 },
      xaxis: axis("Return (dashed: 860, success)"),
      yaxis: axis("", {
        tickvals: ticks, ticktext: DATA.policies.map(short), range: [ticks.length - 0.5, -0.5], showgrid: false, zeroline: false,
      }),
      shapes: [{
        type: "line", x0: 860, x1: 860, yref: "paper", y0: 0, y1: 1, line: { color: colourOf("--soft"), width: 1, dash: "dash" },
      }],
    }),
    CONFIG,
  );
  plot.removeAllListeners("plotly_click");
  plot.on("plotly_click", (event) => choose(event.points[0].customdata));
}

const horizontal = (lap) => (byId("along-by").value === "time" ? lap.time : lap.progress);

function drawMap() {
  const lap = current;
  const road = DATA.maps[lap.map];
  const colour = COLOURS[byId("colour").value];
  const values = colour.of(lap);
  const edge = { mode: "lines", hoverinfo: "skip", line: { color: colourOf("--soft"), width: 1 } };
  const outline = { x: road.left_x.concat(road.right_x.slice().reverse()), y: road.left_y.concat(road.right_y.slice().reverse()) };
  const phone = window.innerWidth <= 640;
  const path = {
    mode: "lines+markers",
    x: lap.x,
    y: lap.y,
    line: { color: colourOf("--soft"), width: 1 },
    hovertemplate: "%{text}<extra></extra>",
    text: lap.x.map((_, i) => describe(lap, i).join("<br>")),
    marker: { size: phone ? 4 : 5, color: colourOf("--soft") },
  };
  if (values) {
    path.marker = {
      size: phone ? 4 : 5,
      color: values,
      colorscale: "Viridis",
      cmin: colour.range ? colour.range[0] : undefined,
      cmax: colour.range ? colour.range[1] : undefined,
      colorbar: Object.assign(
        { title: { text: colour.title }, outlinewidth: 0, thickness: 12 },
        phone ? { orientation: "h", y: -0.18, yanchor: "top", title: { text: colour.title.replaceAll("<br>", " "), side: "bottom" } } : {},
      ),
    };
  }
  Plotly.react(
    byId("map"),
    [
      Object.assign({ mode: "none", fill: "toself", fillcolor: colourOf("--road"), hoverinfo: "skip" }, outline),
      Object.assign({ x: road.left_x, y: road.left_y }, edge),
      Object.assign({ x: road.right_x, y: road.right_y }, edge),
      path,
      {
        mode: "markers+text",
        x: [lap.x[0], lap.x.at(-1)],
        y: [lap.y[0], lap.y.at(-1)],
        text: ["start", "end"],
        textposition: ["top center", "bottom center"],
        hoverinfo: "skip",
        marker: { size: 9, symbol: ["circle-open", "square-open"], color: colourOf("--ink"), line: { width: 2 } },
      },
      {
        mode: "markers",
        x: [lap.x[0]],
        y: [lap.y[0]],
        hoverinfo: "skip",
        marker: { size: 15, color: colourOf("--mark"), line: { color: colourOf("--page"), width: 2 } },
      },
    ],
    layout({
      xaxis: axis("x (world units)", { zeroline: false }),
      yaxis: axis("y (world units)", { scaleanchor: "x", zeroline: false }),
      uirevision: lap.id,
    }),
    CONFIG,
  );
}

function band(lap, name, sigma, times, colour, opacity, label, yaxis) {
  const x = horizontal(lap);
  const mean = lap["mean_" + name];
  const upper = mean.map((value, i) => value + times * sigma[i]);
  const lower = mean.map((value, i) => value - times * sigma[i]);
  return {
    mode: "lines",
    x: x.concat(x.slice().reverse()),
    y: upper.concat(lower.reverse()),
    fill: "toself",
    fillcolor: colour,
    opacity,
    line: { width: 0 },
    hoverinfo: "skip",
    name: label,
    legendgroup: label,
    showlegend: name === "steer",
    yaxis,
  };
}

function actionTraces(lap, name, yaxis) {
  const traces = [];
  if (lap["epistemic_" + name]) {
    const epistemic = lap["epistemic_" + name];
    const total = epistemic.map((value, i) => Math.hypot(value, lap["aleatoric_" + name][i]));
    traces.push(band(lap, name, total, 2, colourOf("--total"), 0.28, "total ±2 sigma", yaxis));
    traces.push(band(lap, name, total, 1, colourOf("--total"), 0.45, "total ±1 sigma", yaxis));
    traces.push(band(lap, name, epistemic, 2, colourOf("--epistemic"), 0.5, "epistemic ±2 sigma", yaxis));
    traces.push(band(lap, name, epistemic, 1, colourOf("--epistemic"), 0.75, "epistemic ±1 sigma", yaxis));
  }
  traces.push({
    mode: "lines",
    x: horizontal(lap),
    y: lap["action_" + name],
    name: "driven action",
    legendgroup: "driven",
    showlegend: name === "steer",
    line: { color: colourOf("--ink"), width: 1.2 },
    hovertemplate: "%{y:.3f}<extra>" + name + "</extra>",
    yaxis,
  });
  return traces;
}

function alongTraces(lap) {
  const line = (y, name, colour, yaxis, dash) => ({
    mode: "lines", x: horizontal(lap), y, name, yaxis, showlegend: false, line: { color: colour, width: 1.4, dash },
    hovertemplate: "%{y:.3f}<extra>" + name + "</extra>",
  });
  const traces = [line(lap.error, "lateral error", colourOf("--total"), "y")];
  Object.keys(ACTIONS).forEach((name, i) => traces.push(...actionTraces(lap, name, "y" + (i + 2))));
  if (lap.epistemic_steer) {
    traces.push(line(lap.aleatoric_steer, "aleatoric", colourOf("--total"), "y5"));
    traces.push(line(lap.epistemic_steer, "epistemic", colourOf("--epistemic"), "y5", "dot"));
  }
  return traces;
}

function drawAlong() {
  const lap = current;
  const half = DATA.maps[lap.map].half_width;
  const panels = lap.epistemic_steer ? 5 : 4;
  const height = 1 / panels;
  const domain = (i) => [1 - (i + 1) * height + 0.02, 1 - i * height - 0.02];
  const reach = (name) => Math.max(...lap["action_" + name].map(Math.abs), 0.5) + 0.35;
  const x = byId("along-by").value === "time" ? "Time (s)" : "Progress (% of the lap)";
  const options = {
    showlegend: true,
    legend: { orientation: "h", y: 1, yanchor: "bottom", x: 0, font: { size: 12 } },
    hovermode: "x unified",
    xaxis: axis(x, { anchor: "y" + panels, zeroline: false }),
    yaxis: axis("Lateral error<br>(units, left +)", { domain: domain(0) }),
    shapes: [
      { type: "rect", xref: "paper", x0: 0, x1: 1, y0: -half, y1: half, fillcolor: colourOf("--road"), line: { width: 0 }, layer: "below" },
      { type: "line", x0: 0, x1: 0, yref: "paper", y0: 0, y1: 1, line: { color: colourOf("--mark"), width: 1 } },
    ],
  };
  Object.entries(ACTIONS).forEach(([name, title], i) => {
    const range = name === "steer" ? [-reach(name), reach(name)] : [-0.35, 1.35];
    options["yaxis" + (i + 2)] = axis(title, { domain: domain(i + 1), range });
  });
  if (panels === 5) options.yaxis5 = axis("Sigma of steer<br>(dotted: epistemic)", { domain: domain(4), rangemode: "tozero" });
  Plotly.react(byId("along"), alongTraces(lap), layout(options), CONFIG);
}

function describe(lap, i) {
  const words = [
    `${lap.time[i].toFixed(2)} s, ${lap.progress[i].toFixed(1)} % of the lap`,
    `speed ${lap.speed[i].toFixed(1)} units/s`,
    `lateral error ${lap.error[i].toFixed(2)} units`,
    `steer ${lap.action_steer[i].toFixed(3)}, gas ${lap.action_gas[i].toFixed(2)}, brake ${lap.action_brake[i].toFixed(2)}`,
  ];
  const part = (name) => (lap[name] && lap[name][i] !== null ? lap[name][i].toFixed(3) : "not stated");
  if (lap.epistemic_steer) words.push(`sigma of steer: aleatoric ${part("aleatoric_steer")}, epistemic ${part("epistemic_steer")}`);
  return words;
}

function place(i) {
  const lap = current;
  byId("position").value = i;
  byId("readout").textContent = describe(lap, i).join(" · ");
  Plotly.restyle(byId("map"), { x: [[lap.x[i]]], y: [[lap.y[i]]] }, [5]);
  const x = horizontal(lap)[i];
  Plotly.relayout(byId("along"), { "shapes[1].x0": x, "shapes[1].x1": x });
}

function drawLap() {
  if (!current) return;
  const lap = current;
  byId("lap").value = lap.id;
  byId("outcome").textContent = lap.outcome;
  byId("position").max = lap.x.length - 1;
  for (const option of byId("colour").options) option.disabled = !COLOURS[option.value].of(lap);
  if (byId("colour").selectedOptions[0].disabled) byId("colour").value = "speed";
  drawMap();
  drawAlong();
  place(Math.min(Number(byId("position").value), lap.x.length - 1));
  const index = LAPS.indexOf(lap);
  byId("previous").disabled = index === 0;
  byId("next").disabled = index === LAPS.length - 1;
  for (const row of document.querySelectorAll("tr[data-lap]")) row.setAttribute("aria-current", row.dataset.lap === String(lap.id));
}

function choose(id) {
  const lap = LAPS.find((candidate) => candidate.id === id);
  if (!lap) return;
  current = lap;
  byId("position").value = 0;
  drawLap();
}

function drawAll() {
  drawReturns();
  drawLap();
  drawForesight();
}

function listen() {
  for (const lap of LAPS) byId("lap").add(new Option(lap.title, lap.id));
  byId("lap").addEventListener("change", (event) => choose(Number(event.target.value)));
  byId("previous").addEventListener("click", () => choose(LAPS[LAPS.indexOf(current) - 1].id));
  byId("next").addEventListener("click", () => choose(LAPS[LAPS.indexOf(current) + 1].id));
  byId("colour").addEventListener("change", drawLap);
  byId("along-by").addEventListener("change", drawLap);
  byId("position").addEventListener("input", (event) => place(Number(event.target.value)));
  byId("foresight-policy")?.addEventListener("change", drawForesight);
  for (const button of document.querySelectorAll("button[data-lap]")) {
    button.addEventListener("click", () => {
      choose(Number(button.dataset.lap));
      byId("viewer").scrollIntoView();
    });
  }
  for (const button of document.querySelectorAll("thead button")) button.addEventListener("click", () => sortBy(button));
  const follow = (event) => {
    const point = event.points.find((one) => one.pointNumber < current.x.length);
    if (point) place(point.pointNumber);
  };
  if (current) {
    byId("along").on("plotly_hover", follow);
    byId("map").on("plotly_hover", (event) => place(event.points[0].pointNumber));
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
}

drawAll();
listen();
