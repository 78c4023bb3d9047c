const OPENING = new Map([
  ['{', '}'],
  ['[', ']'],
]);

/**
 * A list written as one string: an array in JSON text, or the parts of
 * `splitAtCommas`. A bracket that is never closed holds nothing together.
 */
export function splitList(text: string): unknown[] {
  return asJsonArray(text) ?? splitAtCommas(text);
}

function asJsonArray(text: string): unknown[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The parts between the commas that stand outside braces and brackets, trimmed; empty ones are dropped. */
export function splitAtCommas(text: string): string[] {
  const closed = closedGroups(text);
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    at = closed.get(at) ?? at;
    if (text[at] !== ',') continue;
    parts.push(text.slice(start, at));
    start = at + 1;
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** For each brace and bracket that is closed: where it opens, and where it closes. */
function closedGroups(text: string): Map<number, number> {
  const closed = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (OPENING.has(character)) open.push(at);
    else if (character === OPENING.get(text[open.at(-1) ?? -1] ?? '')) closed.set(open.pop() ?? -1, at);
  }
  return closed;
}
