import { type Driver, load, type Open } from './driver.ts';

interface Answer {
  llmContent: unknown;
  error?: { message: string };
}

interface Tool {
  build(params: Record<string, unknown>): { execute(options: { abortSignal: AbortSignal }): Promise<Answer> };
}

interface Config {
  getMessageBus(): unknown;
  canUseRipgrep(): Promise<boolean>;
}

type ToolClass = new (config: Config, bus: unknown) => Tool;

interface GeminiCli {
  Config: new (options: Record<string, unknown>) => Config;
  GlobTool: ToolClass;
  GrepTool: ToolClass;
  RipGrepTool: ToolClass;
  LSTool: ToolClass;
  ReadFileTool: ToolClass;
}

const FOUND = /^Found (\d+)/;
const SHOWN = /Showing lines (\d+)-(\d+)/;
const ENTRY = /^(?:\[DIR\] .*|.* \(\d+ bytes\))$/gm;
const NO_LIMIT = 1e9;

export const open: Open = async (root, inputs): Promise<Driver> => {
  const { Config, GlobTool, GrepTool, LSTool, ReadFileTool, RipGrepTool } =
    await load<GeminiCli>('@google/gemini-cli-core');
  const config = new Config({
    sessionId: 'bench',
    targetDir: root,
    cwd: root,
    debugMode: false,
    model: 'none',
    usageStatisticsEnabled: false,
    telemetry: { enabled: false },
    fileFiltering: { respectGitIgnore: false, respectGeminiIgnore: false },
  });
  const call = async (Class: ToolClass, params: Record<string, unknown>) => {
    const invocation = new Class(config, config.getMessageBus()).build(params);
    const { error, llmContent } = await invocation.execute({ abortSignal: new AbortController().signal });
    const text = String(llmContent);
    if (error !== undefined || text.startsWith('Error')) throw new Error(error?.message ?? text);
    return () => countOf(text);
  };
  // The tool that the CLI itself would take.
  const hasRipgrep = await config.canUseRipgrep();
  const exactly = hasRipgrep ? { case_sensitive: true, no_ignore: true } : {};
  const grep = (pattern: string, isLiteral: boolean, most: number) =>
    call(hasRipgrep ? RipGrepTool : GrepTool, {
      pattern,
      ...exactly,
      ...(hasRipgrep && isLiteral ? { fixed_strings: true } : {}),
      total_max_matches: most,
    });
  const { cap, far, frequent, glob, log, name, near, rare } = inputs;
  const read = ({ end, start }: typeof near) =>
    call(ReadFileTool, { file_path: log, start_line: start, end_line: end });
  const note = hasRipgrep ? undefined : 'by `grep`, ignoring case, as it does without a system’s ripgrep';
  return {
    acts: {
      list: () => call(GlobTool, { pattern: '**/*', case_sensitive: true }),
      glob: () => call(GlobTool, { pattern: glob, case_sensitive: true }),
      find: () => call(GlobTool, { pattern: `**/${name}*`, case_sensitive: true }),
      'grep-rare': () => grep(rare.literal, true, NO_LIMIT),
      'grep-frequent': () => grep(frequent.literal, true, NO_LIMIT),
      'grep-frequent-100': () => grep(frequent.literal, true, cap),
      'regex-rare': () => grep(rare.regex, false, NO_LIMIT),
      'regex-frequent': () => grep(frequent.regex, false, NO_LIMIT),
      'regex-frequent-100': () => grep(frequent.regex, false, cap),
      'ls-details': () => call(LSTool, { dir_path: root }),
      'read-near': () => read(near),
      'read-far': () => read(far),
    },
    notes: note === undefined ? {} : { 'grep-rare': note, 'grep-frequent': note, 'regex-frequent': note },
  };
};

function countOf(text: string): number {
  const found = FOUND.exec(text)?.[1];
  if (found !== undefined) return Number(found);
  const [, from, to] = SHOWN.exec(text) ?? [];
  if (from !== undefined && to !== undefined) return Number(to) - Number(from) + 1;
  return text.startsWith('Directory listing') ? (text.match(ENTRY) ?? []).length : 0;
}
