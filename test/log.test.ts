import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LogOutput } from '../src/log.ts';

/** A stream that takes its first chunk and is done with it when it is told. */
function held() {
  const taken: string[] = [];
  let release = () => {};
  const stream = new Writable({
    decodeStrings: false,
    highWaterMark: 8,
    write(chunk, _encoding, done) {
      taken.push(String(chunk));
      release = done;
    },
  });
  return { stream, taken, release: () => release() };
}

describe('the log', () => {
  it('writes lines as they come', () => {
    const { stream, taken } = held();
    new LogOutput(stream).write('a\n');
    expect(taken).toEqual(['a\n']);
  });

  it('holds no more than it may of what is not read, and tells how many lines that cost', async () => {
    const { stream, taken, release } = held();
    const log = new LogOutput(stream, 10);
    for (const line of ['12345678\n', 'b\n', 'c\n', 'd\n']) log.write(line);
    expect([taken, stream.writableLength]).toEqual([['12345678\n'], 9]);
    release();
    await new Promise(setImmediate);
    expect(JSON.parse(taken.at(-1) ?? '')).toMatchObject({
      level: 40,
      msg: '3 lines of the log were dropped: it was not read in time',
    });
    release();
    await new Promise(setImmediate);
    log.write('e\n');
    expect(taken.at(-1)).toBe('e\n');
  });

  it('goes on when its reader is gone', () => {
    const { stream } = held();
    const log = new LogOutput(stream);
    stream.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    expect(() => log.write('a\n')).not.toThrow();
  });
});

describe('its end', () => {
  it('comes when all is written', async () => {
    const { stream, release } = held();
    const log = new LogOutput(stream);
    log.write('a\n');
    const flushed = log.flush(60_000);
    release();
    await new Promise(setImmediate);
    release();
    await flushed;
  });

  it('comes in time when nothing is read', async () => {
    const log = new LogOutput(held().stream);
    log.write('a\n');
    await log.flush(20);
  });
});
