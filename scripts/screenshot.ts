import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/**
 * Opens `/docs` in a headless Chromium, calls an operation from the page as a
 * reader would, and keeps a picture as docs/images/docs.png. Fails when the
 * page asks for anything elsewhere, breaks its own policy, or logs an error.
 * Chromium is the program that CHROMIUM names, or one in PATH.
 */
const PICTURE = 'docs/images/docs.png';
const SIZE = { width: 1280, height: 900, deviceScaleFactor: 1, mobile: false };
/** Not loopback for the browser: there it forgives a page what it forgives no other. */
const HOST = 'fs-sidecar.test';
const PATIENCE = 20_000;
const STEP = 50;

/** A message of Chrome's DevTools protocol. */
interface Message {
  id?: number;
  method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the protocol's own types are larger than this script
  params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  result?: any;
  error?: { message: string };
}

function findBrowser(): string | undefined {
  const names = process.env['CHROMIUM'] ?? 'chromium chromium-browser google-chrome';
  return names.split(' ').find((name) => spawnSync(name, ['--version']).status === 0);
}

async function photograph(program: string, scratch: string, children: ChildProcess[]): Promise<void> {
  const port = await startService(children);
  const page = await openPage(program, port, scratch, children);
  await page.send('Page.navigate', { url: `http://${HOST}/docs` });
  await page.until('document.querySelectorAll(".opblock").length > 10');

  const operation = '#operations-operations-ls';
  await page.evaluate(`document.querySelector('${operation} .opblock-summary-control').click()`);
  await page.until(`document.querySelector('${operation} .execute') !== null`);
  await page.evaluate(`document.querySelector('${operation} .execute').click()`);
  await page.until(`document.querySelector('${operation} .live-responses-table .response-col_status') !== null`);
  const status = await page.evaluate(
    `document.querySelector('${operation} .live-responses-table tbody .response-col_status').textContent.trim()`,
  );
  await page.evaluate(`document.querySelector('${operation} .opblock-summary-control').click(); scrollTo(0, 0)`);
  await page.until(`document.querySelector('${operation} .execute') === null`);

  const faults = page.faultsBut(`http://${HOST}`);
  if (!status.startsWith('200')) faults.push(`the page's call of ls answered ${status}`);
  if (faults.length > 0) throw new Error(`the page is at fault:\n${faults.join('\n')}`);
  const { data } = await page.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: false });
  mkdirSync(dirname(PICTURE), { recursive: true });
  writeFileSync(PICTURE, Buffer.from(data, 'base64'));
  process.stdout.write(`${page.asked.length} requests, none elsewhere; wrote ${PICTURE}\n`);
}

/** Starts the service on its own sources; gives its port. */
async function startService(children: ChildProcess[]): Promise<string> {
  const args = ['dist/src/server.js', '--root', '.', '--port', '0', '--allow-host', HOST];
  const service = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env: {} });
  children.push(service);
  for await (const line of createInterface({ input: service.stdout })) {
    const port = /listening on http:\/\/[^:]+:(\d+)/.exec(line)?.[1];
    if (port === undefined) continue;
    service.stdout.resume();
    return port;
  }
  throw new Error('the service does not start');
}

async function openPage(program: string, port: string, scratch: string, children: ChildProcess[]): Promise<Page> {
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--no-first-run',
    '--hide-scrollbars',
    '--disable-background-networking',
    '--remote-debugging-pipe',
    `--user-data-dir=${scratch}`,
    `--host-resolver-rules=MAP ${HOST}:80 127.0.0.1:${port}`,
  ];
  const stdio = ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] as const;
  const child = spawn(program, flags, { stdio: [...stdio], env: { HOME: scratch, PATH: process.env['PATH'] } });
  children.push(child);
  const page = new Page(child.stdio[3] as Writable, child.stdio[4] as Readable);
  const { targetId } = await page.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await page.send('Target.attachToTarget', { targetId, flatten: true });
  page.sessionId = sessionId;
  for (const domain of ['Network', 'Log', 'Runtime', 'Page']) await page.send(`${domain}.enable`);
  await page.send('Emulation.setDeviceMetricsOverride', SIZE);
  return page;
}

/** A page of the browser, spoken to over a pipe: JSON messages that end in a NUL. */
class Page {
  /** The addresses that the page asked for. */
  readonly asked: string[] = [];
  sessionId: string | undefined;
  readonly #to: Writable;
  readonly #errors: string[] = [];
  readonly #waiting = new Map<number, (message: Message) => void>();
  #lastId = 0;
  #rest = '';

  constructor(to: Writable, from: Readable) {
    this.#to = to;
    from.setEncoding('utf8').on('data', (text: string) => {
      const messages = (this.#rest + text).split('\0');
      this.#rest = messages.pop() ?? '';
      for (const message of messages) this.#take(JSON.parse(message));
    });
  }

  async send(method: string, params: object = {}): Promise<Message['result']> {
    const id = ++this.#lastId;
    const { sessionId } = this;
    const answer = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.#to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    const { error, result } = await answer;
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  async evaluate(expression: string) {
    const { exceptionDetails, result } = await this.send('Runtime.evaluate', { expression, returnByValue: true });
    if (exceptionDetails !== undefined) throw new Error(`${expression}: ${exceptionDetails.exception.description}`);
    return result.value;
  }

  async until(condition: string): Promise<void> {
    for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
      if ((await this.evaluate(condition)) === true) return;
      await new Promise((resolve) => setTimeout(resolve, STEP));
    }
    throw new Error(`the page never comes to ${condition}\n${this.#errors.join('\n')}`);
  }

  /** What went wrong, and what was asked for that `origin` does not have. */
  faultsBut(origin: string): string[] {
    const elsewhere = this.asked.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'));
    return [...this.#errors, ...elsewhere.map((url) => `it asked for ${url}`)];
  }

  #take({ id, method, params, ...answer }: Message): void {
    if (id !== undefined) this.#waiting.get(id)?.(answer);
    else if (method === 'Network.requestWillBeSent') this.asked.push(params.request.url);
    else if (method === 'Network.loadingFailed') this.#errors.push(`not loaded: ${params.errorText}`);
    else if (method === 'Log.entryAdded') this.#errors.push(`${params.entry.source}: ${params.entry.text}`);
    else if (method === 'Runtime.exceptionThrown') this.#errors.push(params.exceptionDetails.text);
  }
}

const browser = findBrowser();
if (browser === undefined) {
  process.stderr.write(
    'SKIPPED: there is no Chromium; install it (Debian: apt-get install chromium) or set CHROMIUM\n',
  );
} else {
  const scratch = mkdtempSync(join(tmpdir(), 'fs-sidecar-'));
  const children: ChildProcess[] = [];
  try {
    await photograph(browser, scratch, children);
  } finally {
    for (const child of children.filter(({ exitCode }) => exitCode === null)) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(scratch, { recursive: true, force: true });
  }
}
