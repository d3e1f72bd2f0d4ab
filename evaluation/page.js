"use strict";
// What the pages share: the data, the look of a plot, tables that sort.
const DATA = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const CONFIG = { responsive: true, displaylogo: false, displayModeBar: false };
const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
const short = (text) => escape(text.length > 24 ? "…" + text.slice(-23) : text);

function layout(extra) {
  return Object.assign(
    {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: "system-ui, -apple-system, Segoe UI, Roboto, sans-serif", size: 13, color: colourOf("--ink") },
      margin: { l: 64, r: 16, t: 12, b: 48 },
      hoverlabel: { bgcolor: colourOf("--panel"), font: { color: colourOf("--ink") }, bordercolor: colourOf("--line") },
      showlegend: false,
    },
    extra,
  );
}

function axis(title, extra) {
  const line = colourOf("--line");
  return Object.assign(
    { title: { text: title, standoff: 8 }, gridcolor: line, zerolinecolor: line, linecolor: line, automargin: true },
    extra,
  );
}

function sortBy(button) {
  const header = button.closest("th");
  const rising = header.getAttribute("aria-sort") !== "ascending";
  for (const other of header.parentElement.children) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", rising ? "ascending" : "descending");
  const body = header.closest("table").tBodies[0];
  const key = (row) => row.cells[header.cellIndex].dataset.value;
  const order = (a, b) => {
    const [x, y] = [key(a), key(b)];
    if (x === "" || y === "") return (x === "") - (y === "");
    const numbers = !Number.isNaN(Number(x)) && !Number.isNaN(Number(y));
    return (rising ? 1 : -1) * (numbers ? x - y : x.localeCompare(y));
  };
  body.append(...[...body.rows].sort(order));
}
