import { syntaxFault } from './fault.ts';

/**
 * Reads a pattern token by token: a character, or a backslash with the character after it. Looks one token
 * ahead as CPython's `Tokenizer` does, which decides the fault that is found first and its position.
 */
export class Cursor {
  readonly #characters: readonly string[];
  #end = 0;
  #length = 0;
  #next: string | undefined;

  constructor(pattern: string) {
    this.#characters = Array.from(pattern);
    this.#advance();
  }

  /** The token ahead; `undefined` at the end. */
  get next(): string | undefined {
    return this.#next;
  }

  /** Where the token ahead begins. */
  get position(): number {
    return this.#end - this.#length;
  }

  take(): string | undefined {
    const token = this.#next;
    this.#advance();
    return token;
  }

  takeIf(token: string): boolean {
    if (this.#next !== token) return false;
    this.#advance();
    return true;
  }

  /** At most `limit` tokens that `accepts` takes. */
  takeWhile(limit: number, accepts: RegExp): string {
    let taken = '';
    for (let count = 0; count < limit && this.#next !== undefined && accepts.test(this.#next); count++) {
      taken += this.take();
    }
    return taken;
  }

  /** What stands before `terminator`, which is taken too; it may not be empty. */
  takeUntil(terminator: string, what: string, remedy: string): string {
    const start = this.position;
    let taken = '';
    for (;;) {
      const at = this.position;
      const token = this.take();
      if (token === undefined || token === terminator) {
        if (taken === '') throw syntaxFault(at, `missing ${what}`, remedy);
        if (token === undefined) throw syntaxFault(start, `missing ${terminator} after a ${what}`, remedy);
        return taken;
      }
      taken += token;
    }
  }

  seek(position: number): void {
    this.#end = position;
    this.#advance();
  }

  #advance(): void {
    const character = this.#characters[this.#end];
    this.#length = 0;
    this.#next = undefined;
    if (character === undefined) return;
    const escaped = character === '\\' ? this.#characters[this.#end + 1] : '';
    if (escaped === undefined) {
      throw syntaxFault(this.#end, 'a backslash at the end', 'Write \\\\ for a literal backslash.');
    }
    this.#next = character + escaped;
    this.#length = escaped === '' ? 1 : 2;
    this.#end += this.#length;
  }
}
