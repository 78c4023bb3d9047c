import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The package's version: of the service, its document and its image. */
export const VERSION: string = versionOf(['../package.json', '../../package.json']);

/** The package file lies above `src`, and two above `dist/src`. */
function versionOf(places: readonly string[]): string {
  for (const place of places) {
    try {
      const { name, version } = require(place);
      if (name === 'fs-sidecar') return version;
    } catch {}
  }
  return '0.0.0';
}
