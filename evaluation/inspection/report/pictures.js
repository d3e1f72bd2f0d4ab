// What is shown, the recordings of a lap, and its pictures: frames with saliency, the decision as gauges.
const LAPS = DATA.laps;
const ACTIONS = ["steer", "gas", "brake"];
const state = { lap: LAPS[0], step: 0, hidden: new Set(), traced: null, group: null };
const recordings = new Map();
const scratch = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

let palette = [];
/** Reads the colours of the policies from the style sheet; asking it at every step would be slow. */
const mixPalette = () => (palette = DATA.policies.map((_, i) => colourOf(`--policy-${i % 8}`)));
const accent = (lap) => palette[DATA.policies.indexOf(lap.policy)];
const beside = () => LAPS.filter((lap) => lap !== state.lap && lap.map === state.lap.map && !state.hidden.has(lap.id));
const shownLaps = () => [state.lap, ...beside()];
const byPlace = () => byId("along-by").value === "progress";
const finite = (value) => value !== null && value !== undefined;
const fixed = (value, digits) => (finite(value) ? value.toFixed(digits).replace("-", "−") : "–");

/** A part of the lap's recordings, read on first use; null where there is none. */
function recording(name, lap) {
  const key = `${name}-${lap.id}`;
  if (!recordings.has(key)) recordings.set(key, byId(key) ? JSON.parse(byId(key).textContent) : null);
  return recordings.get(key);
}

/** The step of a lap that goes with the chosen one: at the same time, or at the same place. */
function counterpart(lap) {
  const last = lap.x.length - 1;
  if (lap === state.lap) return state.step;
  if (!byPlace()) return Math.min(state.step, last);
  const here = state.lap.progress[state.step];
  const found = lap.progress.findIndex((value) => value >= here);
  return found < 0 ? last : found;
}

/** Total sigma of an action at each step, null where it is not a number; computed once. */
function total(lap, name) {
  lap.total ??= {};
  lap.total[name] ??= lap["epistemic_" + name].map((value, i) => {
    const noise = lap["aleatoric_" + name][i];
    return finite(value) && finite(noise) ? Math.hypot(value, noise) : null;
  });
  return lap.total[name];
}

/** Draws one picture of a sheet; again when the sheet has been decoded, if it was not yet. */
function drawSprite(context, name, lap, step) {
  const sprites = recording(name, lap);
  if (!sprites) return false;
  const index = Math.floor(step / sprites.stride);
  const perSheet = sprites.columns * sprites.rows;
  const number = Math.floor(index / perSheet);
  sprites.images ??= [];
  for (const one of [number, number + 1]) {
    if (sprites.images[one] || !sprites.sheets[one]) continue;
    sprites.images[one] = new Image();
    sprites.images[one].onload = () => drawFrames();
    sprites.images[one].src = sprites.sheets[one];
  }
  const sheet = sprites.images[number];
  if (!sheet.complete || !sheet.naturalWidth) return false;
  const { width, height } = sprites;
  const place = index % perSheet;
  const [x, y] = [width * (place % sprites.columns), height * Math.floor(place / sprites.columns)];
  if (context.canvas.width !== width) Object.assign(context.canvas, { width, height });
  context.clearRect(0, 0, width, height);
  context.drawImage(sheet, x, y, width, height, 0, 0, width, height);
  return true;
}

const HEAT = [[28, 16, 68], [130, 37, 129], [222, 73, 104], [254, 159, 109], [252, 253, 191]]; // magma

function heat(share) {
  const place = Math.min(share, 0.9999) * (HEAT.length - 1);
  const i = Math.floor(place);
  return HEAT[i].map((low, channel) => low + (place - i) * (HEAT[i + 1][channel] - low));
}

const HEAT_TABLE = Array.from({ length: 256 }, (_, i) => heat(i / 255));

/** Saliency over the frame: the more of it, the warmer and the less transparent. */
function drawSaliency(canvas, lap, step) {
  const context = canvas.getContext("2d");
  if (!drawSprite(scratch, "saliency", lap, step)) return;
  const { width, height } = scratch.canvas;
  const pixels = scratch.getImageData(0, 0, width, height);
  const opacity = byId("opacity").value / 100;
  for (let i = 0; i < pixels.data.length; i += 4) {
    const value = pixels.data[i];
    const [red, green, blue] = HEAT_TABLE[value];
    pixels.data[i] = red;
    pixels.data[i + 1] = green;
    pixels.data[i + 2] = blue;
    pixels.data[i + 3] = opacity * Math.min(255, 1.6 * value);
  }
  if (canvas.width !== width) Object.assign(canvas, { width, height });
  context.putImageData(pixels, 0, 0);
}

/** A card a lap, the chosen one first and large. */
function buildFrames() {
  byId("frames").classList.toggle("many", shownLaps().length > 3);
  byId("frames").replaceChildren(
    ...shownLaps().map((lap) => {
      const card = document.createElement(lap === state.lap ? "figure" : "button");
      card.className = "frame";
      card.dataset.lap = lap.id;
      card.style.setProperty("--accent", accent(lap));
      const seen = recording("frames", lap);
      card.innerHTML =
        (seen
          ? '<span class="screen"><canvas class="picture" role="img"></canvas><canvas class="overlay" aria-hidden="true"></canvas></span>'
          : '<span class="screen none">sees no picture</span>') + `<span class="name">${short(lap.policy)}</span><span class="moment"></span>`;
      if (lap !== state.lap) {
        card.type = "button";
        card.title = `Look at ${lap.policy}`;
        card.addEventListener("click", () => choose(lap.id));
      }
      return card;
    }),
  );
  const salient = shownLaps().some((lap) => recording("saliency", lap));
  byId("overlay-controls").hidden = !salient;
  byId("lens").textContent = `Saliency${state.lap.lens && `: ${state.lap.lens}`}`;
}

function drawFrames() {
  for (const card of byId("frames").children) {
    const lap = LAPS[Number(card.dataset.lap)];
    const step = counterpart(lap);
    const ended = !byPlace() && state.step > step;
    card.classList.toggle("ended", ended);
    card.querySelector(".moment").textContent = ended ? "has ended" : `${lap.time[step].toFixed(2)} s`;
    const picture = card.querySelector(".picture");
    if (!picture) continue;
    drawSprite(picture.getContext("2d"), "frames", lap, step);
    picture.setAttribute("aria-label", `Frame that ${lap.policy} saw at step ${step} of ${lap.map}`);
    if (recording("saliency", lap)) drawSaliency(card.querySelector(".overlay"), lap, step);
  }
}

/** Actions driven, their means and bands on a scale, other laps as ticks. */
function drawGauges() {
  const [left, width, rowHeight] = [46, 190, 34];
  const rows = ACTIONS.map((name, row) => {
    const [low, high] = name === "steer" ? [-1, 1] : [0, 1];
    const x = (value) => left + (width * (Math.min(Math.max(value, low), high) - low)) / (high - low);
    const y = row * rowHeight + 8;
    const parts = [
      `<text x="0" y="${y + 13}">${name}</text><rect class="groove" x="${left}" y="${y}" width="${width}" height="18" rx="2"/>`,
    ];
    if (name === "steer") {
      parts.push(`<path class="zero" d="M${x(0)} ${y}v18"/><text class="scale" x="${left}" y="${y + 28}">left</text>`);
      parts.push(`<text class="scale" x="${left + width}" y="${y + 28}" text-anchor="end">right</text>`);
    }
    shownLaps().forEach((lap, order) => {
      const i = counterpart(lap);
      const colour = accent(lap);
      const mean = lap["mean_" + name][i];
      if (order === 0 && lap.stated) {
        const bands = [[total(lap, name)[i], 2, 0.22], [total(lap, name)[i], 1, 0.3], [lap["epistemic_" + name][i], 1, 0.6]];
        for (const [sigma, times, opacity] of bands) {
          if (!finite(sigma)) continue;
          const from = x(mean - times * sigma);
          parts.push(`<rect x="${from}" y="${y}" width="${x(mean + times * sigma) - from}" height="18" fill="${colour}" opacity="${opacity}"/>`);
        }
      }
      const [top, reach] = order === 0 ? [y - 3, 24] : [y + 4, 10];
      parts.push(`<path d="M${x(lap["action_" + name][i])} ${top}v${reach}" stroke="${colour}" stroke-width="${order === 0 ? 2.5 : 2}"/>`);
    });
    return parts.join("");
  });
  byId("gauges").innerHTML = `<svg viewBox="0 0 240 100" aria-hidden="true">${rows.join("")}</svg>`;
}

/** The numbers of the chosen step that no panel shows, a row a lap. */
function drawReadout() {
  const columns = [
    ["%", (lap, i) => fixed(lap.progress[i], 1), "Progress, % of the lap"],
    ["speed", (lap, i) => fixed(lap.speed[i], 0), "Speed, units/s"],
    ["epist.", (lap, i) => (lap.stated ? fixed(lap.epistemic_steer[i], 4) : "none"), "Epistemic sigma of steer"],
  ];
  if (!shownLaps().some((lap) => lap.stated)) columns.pop();
  const rows = shownLaps().map((lap) => {
    const name = `<th scope="row" title="${escape(lap.policy).replaceAll('"', "&quot;")}"><i style="background:${accent(lap)}"></i>${short(lap.policy)}</th>`;
    return `<tr>${name}${columns.map(([, of]) => `<td>${of(lap, counterpart(lap))}</td>`).join("")}</tr>`;
  });
  const head = columns.map(([name, , words]) => `<th scope="col" title="${words}">${name}</th>`).join("");
  byId("readout").innerHTML = `<caption class="hidden">Numbers of the chosen step</caption><thead><tr><td></td>${head}</tr></thead><tbody>${rows.join("")}</tbody>`;
}
