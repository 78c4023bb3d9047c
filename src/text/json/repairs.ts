/** Every repair there is, in the words that `Mended.repairs` has for it. */
export const REPAIR = {
  fence: 'removed a code fence',
  prose: 'removed the text around the JSON object',
  blockQuote: 'removed block quote marks',
  trailingComma: 'removed a trailing comma',
  comment: 'removed a comment',
  space: 'removed a white space character that JSON does not have',
  missingComma: 'added a missing comma',
  missingCloser: 'added a missing closing bracket',
  lastNumber: 'took the number at the very end of the body as complete',
  singleQuotes: 'read single quotes as double quotes',
  bareName: 'added the quotes around a name',
  python: "read Python's True, False or None as true, false or null",
  backslash: 'kept a backslash that JSON does not allow in a string (write it as \\\\)',
  control: 'kept a line break, tab or control character inside a string (write it as \\n, \\t or \\u)',
} as const;

export type Repair = (typeof REPAIR)[keyof typeof REPAIR];
