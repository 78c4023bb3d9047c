import { once } from 'node:events';
import { Writable } from 'node:stream';

/** A line of the log, as JSON has it. */
export type LogLine = Record<string, unknown>;

/** A log that is kept, to be given as `logger`. */
export class KeptLog extends Writable {
  readonly logger: { level: string; stream: KeptLog };
  text = '';

  constructor(level = 'info') {
    super({ decodeStrings: false });
    this.logger = { level, stream: this };
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    this.text += String(chunk);
    done();
    this.emit('line');
  }

  get lines(): LogLine[] {
    return this.text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  /** The first line that `wanted` holds for; waits for it. */
  async line(wanted: (line: LogLine) => boolean): Promise<LogLine> {
    for (;;) {
      const found = this.lines.find(wanted);
      if (found !== undefined) return found;
      await once(this, 'line');
    }
  }
}
