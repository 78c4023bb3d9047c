/**
 * A name or path as the file system has it: one character, U+0000 to U+00FF,
 * for each byte. Names on disk need not be UTF-8 (path_resolution(7): any byte
 * but NUL and slash), so decoded text cannot name every file; bytes can. Sorted
 * as strings they stand in code-point order of their text, as UTF-8 sorts.
 */
export type Bytes = string;

const ASCII = /^[\0-\x7f]*$/;

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/** The bytes of `text` in UTF-8. */
export function toBytes(text: string): Bytes {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** The text of `bytes`, with U+FFFD for what is not UTF-8. */
export function toText(bytes: Bytes): string {
  return isAscii(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Whether `text`, shown for `bytes`, names them: no byte was replaced. */
export function isFaithful(bytes: Bytes, text: string): boolean {
  return bytes === text || toBytes(text) === bytes;
}

/** `bytes` as an argument for a system call. */
export function toSystem(bytes: Bytes): string | Buffer {
  return isAscii(bytes) ? bytes : Buffer.from(bytes, 'latin1');
}
