// Panels along the lap, one above the other on one axis, with a cursor over them.
const GAP = 26;
const horizontal = (lap) => (byPlace() ? lap.progress : lap.time);

function line(lap, y, panel, extra) {
  const chosen = lap === state.lap;
  return { mode: "lines", x: horizontal(lap), y, yaxis: panel, hoverinfo: "skip", line: { color: accent(lap), width: chosen ? 1.6 : 1, ...extra }, opacity: chosen ? 1 : 0.75 };
}

/** Mean plus and minus so many sigma, broken where sigma is not a number. */
function bands(lap, mean, sigma, times, opacity, panel) {
  const x = horizontal(lap);
  const outline = { x: [], y: [] };
  for (let from = 0; from < x.length; from += 1) {
    if (!finite(sigma[from])) continue;
    let to = from;
    while (to + 1 < x.length && finite(sigma[to + 1])) to += 1;
    for (let i = from; i <= to; i += 1) outline.x.push(x[i]), outline.y.push(mean[i] + times * sigma[i]);
    for (let i = to; i >= from; i -= 1) outline.x.push(x[i]), outline.y.push(mean[i] - times * sigma[i]);
    outline.x.push(null), outline.y.push(null);
    from = to;
  }
  return { ...outline, mode: "none", fill: "toself", fillcolor: accent(lap), opacity, hoverinfo: "skip", yaxis: panel };
}

function errorPanel() {
  const half = DATA.maps[state.lap.map].half_width;
  const reach = Math.max(half + 1, ...shownLaps().flatMap((lap) => lap.lateral_error.map(Math.abs)));
  return {
    title: "Lateral error, units (left +)", height: 112, range: [-Math.min(reach, 4 * half), Math.min(reach, 4 * half)],
    road: half, values: (lap, i) => fixed(lap.lateral_error[i], 2),
    traces: (panel) => shownLaps().reverse().map((lap) => line(lap, lap.lateral_error, panel)), marks: true,
  };
}

function actionPanel(name) {
  return {
    title: { steer: "Steer (right +)", gas: "Gas", brake: "Brake" }[name],
    height: name === "steer" ? 128 : 64,
    range: name === "steer" ? [-1.08, 1.08] : [-0.12, 1.12],
    values: (lap, i) => fixed(lap["action_" + name][i], 3) + (lap.stated && finite(total(lap, name)[i]) ? ` ± ${fixed(total(lap, name)[i], 3)}` : ""),
    traces: (panel) => {
      const { lap } = state;
      const banded = lap.stated
        ? [
            bands(lap, lap["mean_" + name], total(lap, name), 2, 0.16, panel),
            bands(lap, lap["mean_" + name], total(lap, name), 1, 0.22, panel),
            bands(lap, lap["mean_" + name], lap["epistemic_" + name], 1, 0.5, panel),
          ]
        : [];
      return [...banded, ...shownLaps().reverse().map((one) => line(one, one["action_" + name], panel))];
    },
  };
}

function sigmaPanel() {
  const laps = shownLaps().filter((lap) => lap.stated);
  return {
    title: "Sigma of steer: total, dotted epistemic, dashed alarm", height: 92, floor: true,
    values: (lap, i) => (lap.stated ? fixed(total(lap, "steer")[i], 4) : "not stated"),
    traces: (panel) => [
      ...laps.reverse().map((lap) => line(lap, total(lap, "steer"), panel)),
      ...(state.lap.stated ? [line(state.lap, state.lap.epistemic_steer, panel, { dash: "dot", width: 1.2 })] : []),
      ...(finite(state.lap.alarm_level)
        ? [{ ...line(state.lap, horizontal(state.lap).map(() => state.lap.alarm_level), panel, { dash: "dash", width: 1, color: colourOf("--alarm") }) }]
        : []),
    ],
  };
}

/** Saliency by region as shares that add up to one. */
function sharePanel() {
  const shares = state.lap.shares;
  return {
    title: "Saliency on, % (chosen lap)", height: 92, range: [0, 100],
    values: (lap, i) => (lap === state.lap ? `<span>${Object.keys(shares).filter((name) => shares[name][i] >= 0.005).map((name) => `<i style="background:${regionColour(name)}"></i>${name} ${fixed(100 * shares[name][i], 0)}`).join("&ensp;")}</span>` : ""),
    traces: (panel) =>
      Object.entries(shares).map(([name, own]) => ({
        mode: "lines", stackgroup: panel, x: horizontal(state.lap), y: own.map((share) => 100 * share), yaxis: panel, hoverinfo: "skip",
        line: { width: 0 }, fillcolor: regionColour(name),
      })),
  };
}

const regionColour = (name) => colourOf(`--region-${name.split(" ").at(-1)}`);

function tracePanel(name) {
  const of = (lap) => recording("traces", lap)?.values[name];
  return {
    title: `${name}${rank(name)}`, height: 64, values: (lap, i) => (of(lap) ? (finite(of(lap)[i]) ? of(lap)[i].toPrecision(3).replace("-", "−") : "–") : ""),
    traces: (panel) => shownLaps().filter(of).reverse().map((lap) => line(lap, of(lap), panel)),
  };
}

/** All neurons of a group, a row each, from the least (dark) to the most (light) of its own lap. */
function rasterPanel() {
  const { groups, values } = recording("traces", state.lap);
  const names = groups[state.group];
  const z = names.map((name) => {
    const known = values[name].filter(finite);
    const [low, high] = [Math.min(...known), Math.max(...known)];
    return values[name].map((value) => (finite(value) && high > low ? (value - low) / (high - low) : null));
  });
  return {
    title: `${state.group}: ${names.length} of them, each by its own range (chosen lap)`, height: Math.min(220, Math.max(36, 9 * names.length)),
    values: () => "", range: [names.length - 0.5, -0.5], bare: true,
    traces: (panel) => [{ type: "heatmap", x: horizontal(state.lap), y: names.map((_, i) => i), z, yaxis: panel, colorscale: "Viridis", showscale: false, hoverinfo: "skip", zmin: 0, zmax: 1 }],
  };
}

function panels() {
  const found = [errorPanel(), ...ACTIONS.map(actionPanel)];
  if (shownLaps().some((lap) => lap.stated)) found.push(sigmaPanel());
  if (Object.keys(state.lap.shares).length) found.push(sharePanel());
  if (state.group) found.push(rasterPanel());
  return [...found, ...(state.traced ?? []).map(tracePanel)];
}

let drawn = [];

function drawAlong() {
  drawn = panels();
  const height = drawn.reduce((sum, panel) => sum + panel.height + GAP, 0);
  const narrow = window.innerWidth <= 640;
  const options = { height: height + 40, margin: { l: narrow ? 34 : 44, r: 8, t: 0, b: 40 }, hovermode: false, dragmode: false, shapes: [] };
  const traces = [];
  let top = 0;
  drawn.forEach((panel, number) => {
    const id = number ? `y${number + 1}` : "y";
    panel.top = top + GAP;
    const domain = [1 - (panel.top + panel.height) / height, 1 - panel.top / height].map((share) => Math.max(0, Math.min(1, share)));
    options[id.replace("y", "yaxis")] = axis("", {
      domain, range: panel.range, rangemode: panel.floor ? "tozero" : "normal", fixedrange: true, nticks: panel.height > 100 ? 5 : 3, automargin: false,
      tickfont: { size: 11 }, showticklabels: !panel.bare, showgrid: !panel.bare, zeroline: !panel.bare, ticks: "",
    });
    if (panel.road) options.shapes.push({ type: "rect", xref: "paper", x0: 0, x1: 1, yref: id, y0: -panel.road, y1: panel.road, fillcolor: colourOf("--road"), line: { width: 0 }, layer: "below" });
    if (panel.marks) options.shapes.push(...marks(id));
    traces.push(...panel.traces(id));
    top += panel.height + GAP;
  });
  options.xaxis = axis(byPlace() ? "Progress, % of the lap" : "Time, s", { anchor: drawn.length > 1 ? `y${drawn.length}` : "y", zeroline: false, fixedrange: true, range: reach(), automargin: false });
  byId("along").style.height = `${options.height}px`;
  Plotly.react(byId("along"), traces, layout(options), CONFIG);
  buildLabels();
}

/** Departures as lines through the panel, alarms as ticks at its top. */
function marks(panel) {
  const x = horizontal(state.lap);
  const one = (i, y0, colour, width) => ({ type: "line", x0: x[i], x1: x[i], yref: `${panel} domain`, y0, y1: 1, line: { color: colour, width } });
  return [
    ...(state.lap.alarms ?? []).map((i) => one(i, 0.93, colourOf("--alarm"), 1.5)),
    ...state.lap.departures.map((i) => one(i, 0, colourOf("--bad"), 1.5)),
  ];
}

function wholeLap() {
  const ends = shownLaps().flatMap((lap) => [horizontal(lap)[0], Math.max(...horizontal(lap))]);
  const [low, high] = [Math.min(0, ...ends), Math.max(...ends)];
  return high > low ? [low, high] : [low, low + 1];
}

/** The part of the axis in view: the whole lap, or a page of some seconds around the cursor. */
function reach() {
  const seconds = Number(byId("window").value);
  if (!seconds) return wholeLap();
  const steps = Math.round(seconds * 50);
  const last = state.lap.x.length - 1;
  const from = Math.max(0, Math.min(state.step - Math.floor(steps / 4), last - steps));
  const x = horizontal(state.lap);
  const seen = x.slice(from, from + steps + 1); // a car that goes backwards does so along the road, too
  const [low, high] = [Math.min(...seen), Math.max(...seen)];
  return high > low ? [low, high] : wholeLap();
}

function buildLabels() {
  byId("labels").replaceChildren(
    ...drawn.map((panel) => {
      const label = document.createElement("p");
      label.style.top = `${panel.top - GAP + 3}px`;
      label.innerHTML = `<span>${escape(panel.title)}</span><b></b>`;
      return label;
    }),
  );
}

function placeCursor() {
  const full = byId("along")._fullLayout;
  if (!full?.xaxis) return;
  const here = horizontal(state.lap)[state.step];
  const [low, high] = full.xaxis.range;
  if (Number(byId("window").value) && (here < low || here > low + 0.9 * (high - low))) {
    const range = reach();
    if (range[0] !== low || range[1] !== high) Plotly.relayout(byId("along"), { "xaxis.range": range });
  }
  const x = full.xaxis._offset + full.xaxis.l2p(here);
  byId("cursor").style.transform = `translateX(${x}px)`;
  byId("cursor").style.height = `${full._size.h}px`;
  const laps = shownLaps();
  drawn.forEach((panel, number) => {
    const own = laps.map((lap) => {
      const text = panel.values(lap, counterpart(lap));
      return text && (laps.length > 1 && text.includes("<") === false ? `<em style="color:${accent(lap)}">${text}</em>` : text);
    });
    byId("labels").children[number].lastElementChild.innerHTML = own.filter(Boolean).join(" ");
  });
}

/** The step of the chosen lap that is nearest to a place on the screen. */
function stepAt(clientX) {
  const full = byId("along")._fullLayout;
  const value = full.xaxis.p2l(clientX - byId("along").getBoundingClientRect().left - full.xaxis._offset);
  const x = horizontal(state.lap);
  return x.reduce((best, one, i) => (Math.abs(one - value) < Math.abs(x[best] - value) ? i : best), 0);
}
