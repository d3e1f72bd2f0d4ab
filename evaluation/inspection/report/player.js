// Time: the slider, play, keys; choosing laps and traces.
let timer = null;
let below = null;

function place(step) {
  const last = state.lap.x.length - 1;
  state.step = Math.max(0, Math.min(last, Math.round(step)));
  const slider = byId("step");
  slider.value = state.step;
  const clock = `${state.lap.time[state.step].toFixed(2)} s`;
  slider.setAttribute("aria-valuetext", `step ${state.step} of ${last}, ${clock}`);
  byId("clock").innerHTML = `${clock}<span class="wide"> · step ${state.step} / ${last}</span>`;
  drawFrames();
  drawGauges();
  drawReadout();
  placeCars();
  placeCursor();
  placeRing();
}

function play(on) {
  cancelAnimationFrame(timer);
  timer = null;
  byId("play").textContent = on ? "❚❚" : "▶";
  byId("play").setAttribute("aria-label", on ? "Pause" : "Play");
  if (!on) return;
  if (state.step === state.lap.x.length - 1) place(0);
  let [before, at] = [performance.now(), state.step];
  const tick = (now) => {
    at += ((now - before) / 1000) * 50 * Number(byId("speed").value);
    before = now;
    if (Math.floor(at) !== state.step) place(Math.floor(at));
    if (state.step >= state.lap.x.length - 1) play(false);
    else timer = requestAnimationFrame(tick);
  };
  timer = requestAnimationFrame(tick);
}

const playing = () => timer !== null;

/** Moves by hand: what was playing stops. */
function move(step) {
  play(false);
  place(step);
}

function choose(id, step) {
  play(false);
  const before = state.lap;
  state.lap = LAPS[id];
  state.hidden.delete(id);
  drawLap();
  place(step ?? (before.map === state.lap.map ? state.step : 0));
}

function drawLap() {
  const { lap } = state;
  byId("lap").value = lap.id;
  byId("step").max = lap.x.length - 1;
  byId("notes").innerHTML = [`<p>${escape(lap.outcome)}</p>`, ...lap.notes.map((note) => `<p class="said">${escape(note)}</p>`)].join("");
  for (const option of byId("colour").options) option.disabled = option.value !== "policy" && !PATH_COLOURS[option.value].of(lap);
  if (byId("colour").selectedOptions[0].disabled) byId("colour").value = "policy";
  for (const row of document.querySelectorAll("tr[data-lap]")) row.setAttribute("aria-current", String(row.dataset.lap === String(lap.id)));
  mixPalette();
  chooseTraces();
  buildBeside();
  draw();
}

/** Everything but what only the step decides. */
function draw() {
  buildFrames();
  drawMap();
  drawAlong();
  place(state.step);
  clearTimeout(below);
  below = setTimeout(drawBelow);
}

/** What is not on the first screen, once that has been seen. */
function drawBelow() {
  drawLater();
  placeRing();
  drawForesight();
  document.documentElement.dataset.complete = "yes";
}

function buildBeside() {
  const others = LAPS.filter((lap) => lap !== state.lap && lap.map === state.lap.map);
  byId("beside").hidden = !others.length;
  byId("beside").replaceChildren(byId("beside").firstElementChild, ...others.map((lap) => {
    const chip = document.createElement("label");
    chip.className = "check";
    chip.style.setProperty("--accent", accent(lap));
    const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: !state.hidden.has(lap.id) });
    box.addEventListener("change", () => {
      state.hidden[box.checked ? "delete" : "add"](lap.id);
      draw();
    });
    chip.append(box, ` ${lap.policy}`);
    return chip;
  }));
}

/** Correlation of a trace with the steering that was driven; NaN where one does not vary. */
function correlation(y, x) {
  const pairs = y.map((value, i) => [value, x[i]]).filter(([a, b]) => finite(a) && finite(b));
  const mean = [0, 1].map((k) => pairs.reduce((sum, pair) => sum + pair[k], 0) / pairs.length);
  let [xy, xx, yy] = [0, 0, 0];
  for (const [a, b] of pairs) {
    xy += (a - mean[0]) * (b - mean[1]);
    xx += (a - mean[0]) ** 2;
    yy += (b - mean[1]) ** 2;
  }
  return xy / Math.sqrt(xx * yy);
}

function correlations(lap) {
  const found = recording("traces", lap);
  if (!found) return {};
  found.correlations ??= Object.fromEntries(Object.entries(found.values).map(([name, y]) => [name, correlation(y, lap.action_steer)]));
  return found.correlations;
}

function rank(name) {
  const found = correlations(state.lap)[name];
  return Number.isFinite(found) ? `, r with steer ${fixed(found, 2)}` : "";
}

const strength = (name) => Math.abs(correlations(state.lap)[name]) || 0;

function chooseTraces() {
  const found = recording("traces", state.lap);
  const groups = found ? Object.keys(found.groups) : [];
  byId("trace-controls").hidden = !groups.length;
  byId("left-out").textContent = found?.left_out.length ? `Left out for size: ${found.left_out.join(", ")}.` : "";
  if (!groups.includes(state.group)) state.group = groups.find((name) => name === "inter") ?? groups[0] ?? null;
  byId("group").replaceChildren(...groups.map((name) => new Option(`${name} (${found.groups[name].length})`, name)));
  if (state.group) byId("group").value = state.group;
  const every = groups.flatMap((name) => found.groups[name]);
  if (!state.traced && every.length) state.traced = every.toSorted((a, b) => strength(b) - strength(a)).slice(0, 2);
  listTraces();
}

function listTraces() {
  const found = recording("traces", state.lap);
  const names = state.group ? found.groups[state.group].toSorted((a, b) => strength(b) - strength(a)) : [];
  byId("trace").replaceChildren(new Option("add…", ""), ...names.map((name) => new Option(name + rank(name), name)));
  byId("traced").replaceChildren(...(found ? state.traced ?? [] : []).map((name) => {
    const chip = Object.assign(document.createElement("button"), { type: "button", textContent: `${name} ×`, title: `Take ${name} away` });
    chip.addEventListener("click", () => {
      state.traced = state.traced.filter((one) => one !== name);
      retrace();
    });
    return chip;
  }));
}

function retrace() {
  listTraces();
  drawAlong();
  place(state.step);
}

/** Medians of ten groups of equal size. */
function medians(pairs) {
  const sorted = pairs.toSorted((a, b) => a[0] - b[0]);
  const size = sorted.length / 10;
  return Array.from({ length: 10 }, (_, k) => sorted.slice(Math.floor(k * size), Math.floor((k + 1) * size)))
    .filter((own) => own.length)
    .map((own) => [quantile(own.map((p) => p[0]), 0.5), quantile(own.map((p) => p[1]), 0.5)]);
}

function drawLater() {
  const laps = shownLaps().filter((lap) => lap.stated && lap.coming.some(finite));
  byId("later-box").hidden = !laps.length;
  if (!laps.length) return;
  const traces = laps.reverse().flatMap((lap) => {
    const sigma = total(lap, "steer");
    const pairs = lap.coming.map((error, i) => [sigma[i], error]).filter(([a, b]) => finite(a) && finite(b));
    const middle = medians(pairs);
    return [
      { mode: "markers", x: pairs.map((p) => p[0]), y: pairs.map((p) => p[1]), hoverinfo: "skip", showlegend: false, marker: { size: 4, color: accent(lap), opacity: 0.3 } },
      { mode: "lines+markers", name: short(lap.policy), x: middle.map((p) => p[0]), y: middle.map((p) => p[1]), line: { color: accent(lap), width: 2 } },
    ];
  });
  Plotly.react(byId("later"), traces, layout({
    showlegend: laps.length > 1, legend: { orientation: "h", y: 1, yanchor: "bottom", x: 0 }, hovermode: false, dragmode: false,
    xaxis: axis("Sigma of steer", { rangemode: "tozero" }), yaxis: axis("Largest |lateral error| of the next second", { rangemode: "tozero" }),
  }), CONFIG);
  byId("later").removeAllListeners("plotly_afterplot");
  byId("later").on("plotly_afterplot", placeRing);
}

function placeRing() {
  const { lap, step } = state;
  const full = byId("later")._fullLayout;
  if (byId("later-box").hidden || !full?.xaxis) return;
  const [sigma, error] = lap.stated ? [total(lap, "steer")[step], lap.coming[step]] : [null, null];
  const ring = byId("ring");
  ring.hidden = !finite(sigma) || !finite(error);
  if (ring.hidden) return;
  const [x, y] = [full.xaxis._offset + full.xaxis.l2p(sigma), full.yaxis._offset + full.yaxis.l2p(error)];
  ring.style.transform = `translate(${x}px, ${y}px)`;
}

function onKey(event) {
  const { target, key } = event;
  const typing = target.closest("select, details, .scroll, a") || (target.matches("input") && target.id !== "step");
  if (typing || event.altKey || event.ctrlKey || event.metaKey) return;
  if (key === " " && target.closest("button") && target.id !== "play") return;
  const last = state.lap.x.length - 1;
  const far = event.shiftKey ? 10 : 1;
  const departure = state.lap.departures.find((step) => step > state.step) ?? state.lap.departures[0];
  const deeds = {
    " ": () => play(!playing()),
    ArrowLeft: () => move(state.step - far),
    ArrowRight: () => move(state.step + far),
    Home: () => move(0),
    End: () => move(last),
    "[": () => choose((state.lap.id + LAPS.length - 1) % LAPS.length),
    "]": () => choose((state.lap.id + 1) % LAPS.length),
    d: () => departure !== undefined && move(departure),
  };
  if (!deeds[key]) return;
  event.preventDefault();
  deeds[key]();
}

function scrubbing() {
  const charts = byId("along-over");
  charts.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    charts.setPointerCapture(event.pointerId);
    move(stepAt(event.clientX));
  });
  charts.addEventListener("pointermove", (event) => charts.hasPointerCapture(event.pointerId) && move(stepAt(event.clientX)));
}

function listen() {
  for (const lap of LAPS) byId("lap").add(new Option(lap.title, lap.id));
  byId("lap").addEventListener("change", (event) => choose(Number(event.target.value)));
  byId("play").addEventListener("click", () => play(!playing()));
  byId("back").addEventListener("click", () => move(state.step - 1));
  byId("forth").addEventListener("click", () => move(state.step + 1));
  byId("step").addEventListener("input", (event) => move(Number(event.target.value)));
  byId("opacity").addEventListener("input", drawFrames);
  for (const id of ["along-by", "window"]) byId(id).addEventListener("change", () => (drawAlong(), place(state.step)));
  for (const id of ["colour", "ribbon"]) byId(id).addEventListener("change", () => (drawMap(), place(state.step)));
  byId("group").addEventListener("change", (event) => ((state.group = event.target.value), retrace()));
  byId("trace").addEventListener("change", (event) => {
    state.traced = [...new Set([...(state.traced ?? []), event.target.value])].slice(-6);
    retrace();
  });
  byId("foresight-policy")?.addEventListener("change", drawForesight);
  for (const button of document.querySelectorAll("thead button")) button.addEventListener("click", () => sortBy(button));
  for (const button of document.querySelectorAll("button[data-lap]:not(.frame)")) {
    button.addEventListener("click", () => (choose(Number(button.dataset.lap)), byId("frames").scrollIntoView({ block: "nearest" })));
  }
  document.addEventListener("keydown", onKey);
  scrubbing();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawLap);
}

listen();
drawLap();
byId("map").on("plotly_click", (event) => {
  const [id, step] = event.points[0].customdata ?? [];
  if (step !== undefined) id === state.lap.id ? move(step) : choose(id, step);
});
byId("map").on("plotly_afterplot", placeCars);
byId("along").on("plotly_afterplot", placeCursor);
document.documentElement.dataset.ready = "yes";
