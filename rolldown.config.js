import { readdirSync } from 'node:fs';

const common = {
  platform: 'node',
  onwarn: (warning) => {
    throw new Error(warning.message);
  },
};

/**
 * The service and its worker, each joined with what it imports when it starts:
 * files cost more than code (docs/adr/0014-the-service-is-bundled.md). What
 * ships files of its own, or is loaded when it is first needed, stays outside.
 */
const service = {
  ...common,
  input: {
    'src/server': 'src/server.ts',
    'src/pool/worker': 'src/pool/worker.ts',
    'scripts/healthcheck': 'scripts/healthcheck.ts',
  },
  external: ['koffi', '@vscode/ripgrep', '@fastify/swagger-ui', /^@modelcontextprotocol\//],
  // Two folders below the package, by which `src/version.ts` and `src/confine.ts` find it.
  output: { dir: 'dist', cleanDir: true, chunkFileNames: 'shared/[name].js' },
};

/** What developers run. */
const scripts = {
  ...common,
  input: Object.fromEntries(
    readdirSync('scripts')
      .filter((name) => name.endsWith('.ts') && name !== 'healthcheck.ts')
      .map((name) => [`scripts/${name.slice(0, -'.ts'.length)}`, `scripts/${name}`]),
  ),
  external: /^[^./]/,
  output: { dir: 'dist', chunkFileNames: 'scripts/[name].js' },
};

export default Object.keys(scripts.input).length === 0 ? [service] : [service, scripts];
