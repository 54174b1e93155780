// Formats of numbers, times and names: enough digits to distinguish neighbours, a dash for unknown values, the minus
// sign of code, thin spaces between thousands and before a unit.

const UNKNOWN = "–";
const THIN = "\u202f"; // narrow, without line breaks
const LONGEST = 80; // letters of a name or an option, enough to recognize it
const MOST_DIGITS = 12; // beyond, doubles differ by rounding

const known = (value) => typeof value === "number" && Number.isFinite(value);

/** A number with `digits` digits, without trailing zeros: 0.978932, 12 400, 3.2e-7. */
export function number(value, digits = 6) {
  if (!known(value)) return UNKNOWN;
  if (value === 0) return "0";
  const power = Math.floor(Math.log10(Math.abs(value)));
  if (power < -4 || power >= Math.max(digits, 6)) {
    const [head, tail] = value.toExponential(digits - 1).split("e");
    const short = head.includes(".") ? head.replace(/\.?0+$/, "") : head;
    return `${short}e${Number(tail)}`;
  }
  const text = value.toPrecision(Math.max(digits, power + 1));
  return grouped(text.includes(".") ? text.replace(/\.?0+$/, "") : text);
}

const grouped = (text) => {
  const [whole, rest] = text.split(".");
  const groups = whole.replace("-", "").length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, THIN) : whole;
  return rest === undefined ? groups : `${groups}.${rest}`;
};

/** A count: 5 000. */
export const count = (value) => (known(value) ? String(value).replace(/\B(?=(\d{3})+$)/g, THIN) : UNKNOWN);

/** "1 trial", "5 000 trials". */
export const counted = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

/** "is" or "are", for so many. */
export const are = (amount) => (amount === 1 ? "is" : "are");

/** The number of digits, at least six, that distinguish a value from the nearest other one: rounding moves it by less
 *  than a tenth of the distance, so 0.9999999 beside 0.999999 is not written as 1. */
export function digitsApart(value, others) {
  let nearest = Infinity;
  for (const other of others) if (other !== value) nearest = Math.min(nearest, Math.abs(other - value));
  for (let digits = 6; digits < MOST_DIGITS; digits++)
    if (Math.abs(Number(value.toPrecision(digits)) - value) <= nearest / 10) return digits;
  return MOST_DIGITS;
}

/** The median, the larger one of two in the middle; null of nothing. */
export const median = (values) => values.slice().sort((p, q) => p - q)[Math.floor(values.length / 2)] ?? null;

/** A number, limited to the range between the ends. */
export const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

/** A share: 0.03 %, 12 %. Below a ten-thousandth of a percent gaps are rounding errors. */
export function percent(share) {
  if (!known(share)) return UNKNOWN;
  if (share === 0) return `0${THIN}%`;
  if (share < 1e-6) return `< 0.0001${THIN}%`;
  return `${Number((100 * share).toPrecision(2))}${THIN}%`;
}

/** A duration: 3.2 ms, 0.45 s, 12 s, 3 min 20 s, 2 h 5 min, 4 d 3 h. */
export function duration(seconds) {
  if (!known(seconds)) return UNKNOWN;
  if (seconds < 0) return duration(0);
  if (seconds === 0) return `0${THIN}s`;
  if (seconds < 1e-4) return `${Number((1e6 * seconds).toPrecision(2))}${THIN}µs`;
  if (seconds < 0.1) return `${Number((1000 * seconds).toPrecision(2))}${THIN}ms`;
  if (seconds < 10) return `${Number(seconds.toPrecision(2))}${THIN}s`;
  const whole = Math.round(seconds);
  for (const [size, unit, smaller, part] of [[86400, "d", 3600, "h"], [3600, "h", 60, "min"], [60, "min", 1, "s"]])
    if (whole >= size) {
      const rest = Math.floor((whole % size) / smaller);
      return `${Math.floor(whole / size)}${THIN}${unit}` + (rest ? ` ${rest}${THIN}${part}` : "");
    }
  return `${whole}${THIN}s`;
}

/** How long ago, in one unit: "just now", "40 s ago", "3 h ago", then the date. */
export function ago(epoch, now = Date.now() / 1000) {
  if (!known(epoch)) return UNKNOWN;
  const passed = Math.max(0, now - epoch);
  if (passed < 5) return "just now";
  for (const [size, unit] of [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]])
    if (passed >= size && passed < 30 * 86400) return `${Math.floor(passed / size)}${THIN}${unit} ago`;
  return new Date(1000 * epoch).toISOString().slice(0, 10);
}

/** A moment on the reader's clock: 2026-03-01 14:05:09. */
export function moment(epoch) {
  const at = new Date(1000 * epoch);
  const two = (value) => String(value).padStart(2, "0");
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join("-");
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":")}`;
}

/** A text in one line of bounded length; unprintable letters and those that change the direction are escaped. */
export function visible(text, most = LONGEST) {
  const plain = Array.from(String(text).slice(0, 2 * most + 2), (letter) =>
    /[\p{C}\p{Zl}\p{Zp}]/u.test(letter) ? `\\u${letter.codePointAt(0).toString(16).padStart(4, "0")}` : letter,
  );
  const line = plain.join("");
  return line.length <= most ? line || '""' : `${line.slice(0, most - 1)}…`;
}

/** A comparison by the values of `key`; missing values come last in both directions. */
export function compared(key, descending, tie) {
  const sign = descending ? -1 : 1;
  return (p, q) => {
    const [a, b] = [key(p) ?? null, key(q) ?? null];
    if (a === null || b === null) return (a === null) - (b === null) || tie(p, q);
    const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
    return sign * order || tie(p, q);
  };
}

/** A server's message as a full sentence. */
export function sentence(text) {
  const trimmed = text.trim();
  if (!trimmed) return "";
  return trimmed[0].toUpperCase() + trimmed.slice(1) + (/[.!?…]$/.test(trimmed) ? "" : ".");
}

/** A part of a point: a number, an option, or a dash where it is inactive. */
export function part(value, most = LONGEST) {
  if (value === null || value === undefined) return UNKNOWN;
  if (typeof value === "number") return number(value);
  return visible(typeof value === "object" ? JSON.stringify(value) : value, most);
}
