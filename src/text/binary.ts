/** The bytes at the start of a file that decide whether it is read as text. */
export const BINARY_SAMPLE = 8192;

/** Whether a file that starts like this is binary: a NUL in the first 8 KiB. (UTF-16 has a BOM, or is asked for by name.) */
export function looksBinary(start: Buffer): boolean {
  return start.subarray(0, BINARY_SAMPLE).includes(0);
}
