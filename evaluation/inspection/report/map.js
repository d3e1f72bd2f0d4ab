// The map: roads, paths, sigma as a band around the path, alarms, departures, and the cars.
const PATH_COLOURS = {
  policy: { title: "" },
  steer: { title: "Steer (right +)", of: (lap) => lap.action_steer, range: [-1, 1] },
  sigma: { title: "Sigma of steer", of: (lap) => (lap.stated ? total(lap, "steer") : null) },
  epistemic: { title: "Epistemic sigma of steer", of: (lap) => (lap.stated ? lap.epistemic_steer : null) },
  error: { title: "|Lateral error| (units)", of: (lap) => lap.lateral_error.map(Math.abs) },
  speed: { title: "Speed (units/s)", of: (lap) => lap.speed },
};

function quantile(values, share) {
  const sorted = values.filter(finite).sort((a, b) => a - b);
  return sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] : 0;
}

/** Sigma that a band as wide as the road stands for: hardly ever exceeded on this lap. */
const fullBand = (lap) => (lap.stated ? quantile(total(lap, "steer"), 0.98) : 0);

/** Outline of a band around the path, as wide to either side as sigma says. */
function ribbon(lap, sigma, colour, opacity) {
  const scale = DATA.maps[lap.map].half_width / fullBand(lap);
  const sides = [[], []];
  const last = lap.x.length - 1;
  for (let i = 0; i <= last; i += 1) {
    const [from, to] = [Math.max(i - 1, 0), Math.min(i + 1, last)];
    const [dx, dy] = [lap.x[to] - lap.x[from], lap.y[to] - lap.y[from]];
    const reach = (finite(sigma[i]) ? Math.min(sigma[i] * scale, 2 * DATA.maps[lap.map].half_width) : 0) / (Math.hypot(dx, dy) || 1);
    sides[0].push([lap.x[i] - reach * dy, lap.y[i] + reach * dx]);
    sides[1].push([lap.x[i] + reach * dy, lap.y[i] - reach * dx]);
  }
  const outline = sides[0].concat(sides[1].reverse());
  return {
    mode: "none", fill: "toself", fillcolor: colour, opacity, hoverinfo: "skip",
    x: outline.map((point) => point[0]), y: outline.map((point) => point[1]),
  };
}

function pathTraces(lap, order) {
  const chosen = PATH_COLOURS[byId("colour").value];
  const values = chosen.of?.(lap);
  const common = { x: lap.x, y: lap.y, customdata: lap.x.map((_, i) => [lap.id, i]), hovertemplate: `${short(lap.policy)}, step %{customdata[1]}<extra></extra>` };
  if (!values) return [{ ...common, mode: "lines", line: { color: accent(lap), width: order === 0 ? 2.2 : 1.4 } }];
  const every = shownLaps().flatMap((one) => chosen.of(one) ?? []).filter(finite);
  const [cmin, cmax] = chosen.range ?? [Math.min(...every), Math.max(...every)];
  const colorbar = {
    title: { text: chosen.title, side: "top", font: { size: 12 } }, orientation: "h", thickness: 8, len: 0.5, x: 0, xanchor: "left", y: 0, yanchor: "top",
    outlinewidth: 0, nticks: 5,
  };
  return [{ ...common, mode: "markers", marker: { size: order === 0 ? 5 : 3, color: values, colorscale: "Viridis", cmin, cmax, colorbar, showscale: order === 0 } }];
}

function points(lap, steps, symbol, colour, size) {
  return {
    mode: "markers", x: steps.map((i) => lap.x[i]), y: steps.map((i) => lap.y[i]), customdata: steps.map((i) => [lap.id, i]),
    hovertemplate: "step %{customdata[1]}<extra></extra>", marker: { symbol, color: colour, size, line: { width: symbol === "circle" ? 0 : 2, color: colour } },
  };
}

function drawMap() {
  const lap = state.lap;
  const road = DATA.maps[lap.map];
  const edge = { mode: "lines", hoverinfo: "skip", line: { color: colourOf("--edge"), width: 1 } };
  const traces = [
    {
      mode: "none", fill: "toself", fillcolor: colourOf("--road"), hoverinfo: "skip",
      x: road.left_x.concat(road.right_x.slice().reverse()), y: road.left_y.concat(road.right_y.slice().reverse()),
    },
    { ...edge, x: road.left_x, y: road.left_y },
    { ...edge, x: road.right_x, y: road.right_y },
  ];
  const banded = byId("ribbon").checked && fullBand(lap) > 0;
  if (banded) {
    traces.push(ribbon(lap, total(lap, "steer"), accent(lap), 0.3), ribbon(lap, lap.epistemic_steer, accent(lap), 0.5));
  }
  for (const [order, one] of [...shownLaps().entries()].reverse()) traces.push(...pathTraces(one, order));
  if (lap.alarms?.length) traces.push(points(lap, lap.alarms, "circle", colourOf("--alarm"), 5));
  for (const one of shownLaps()) if (one.departures.length) traces.push(points(one, one.departures, "x-thin", colourOf("--bad"), 11));
  traces.push({ ...points(lap, [0], "line-ns", colourOf("--ink"), 12), hoverinfo: "skip", hovertemplate: undefined });
  const plot = byId("map");
  const bare = { visible: false, showgrid: false, zeroline: false };
  Plotly.react(
    plot, traces,
    layout({
      margin: { l: 4, r: 4, t: 4, b: byId("colour").value === "policy" ? 4 : 48 }, xaxis: bare, yaxis: { ...bare, scaleanchor: "x" },
      hovermode: "closest", dragmode: matchMedia("(pointer: coarse)").matches ? false : "pan", uirevision: lap.map,
    }),
    { ...CONFIG, doubleClick: "reset" },
  );
  const words = [];
  if (banded) words.push(`Band: sigma of steer, dark the epistemic part; as wide as the road it is ${fullBand(lap).toPrecision(2)}.`);
  if (lap.alarms?.length) words.push("● alarm");
  if (shownLaps().some((one) => one.departures.length)) words.push("✕ leaves the road");
  byId("map-key").textContent = words.join("   ");
  buildCars();
}

function buildCars() {
  byId("cars").replaceChildren(
    ...shownLaps().reverse().map((lap) => {
      const car = document.createElement("span");
      car.className = lap === state.lap ? "car chosen" : "car";
      car.dataset.lap = lap.id;
      car.style.setProperty("--accent", accent(lap));
      car.innerHTML = '<svg viewBox="-8 -6 16 12"><path d="M7 0L-6 5.2L-3.4 0L-6 -5.2Z"/></svg>';
      return car;
    }),
  );
}

/** Puts the cars where they are; the plot itself is not drawn again. */
function placeCars() {
  const full = byId("map")._fullLayout;
  if (!full?.xaxis) return;
  const { _size: size } = full;
  for (const car of byId("cars").children) {
    const lap = LAPS[Number(car.dataset.lap)];
    const i = counterpart(lap);
    const [x, y] = [full.xaxis._offset + full.xaxis.l2p(lap.x[i]), full.yaxis._offset + full.yaxis.l2p(lap.y[i])];
    const inside = x >= size.l && x <= size.l + size.w && y >= size.t && y <= size.t + size.h;
    car.hidden = !inside;
    car.style.transform = `translate(${x}px, ${y}px) rotate(${-lap.heading[i]}rad)`;
  }
}
