import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';

/** A user that owns nothing: `nobody` on most systems. */
const NOBODY = 65_534;

/** How this process comes under file modes: as it is, as another effective user, or not at all. */
const way = denies() ? 'itself' : otherWay();

/** Whether file modes can be made to hold here; root passes by them. */
export const CAN_BE_DENIED = way !== 'none';

/** Runs `act` as a user whom file modes hold for. */
export async function underFileModes<T>(act: () => Promise<T>): Promise<T> {
  if (way === 'itself') return act();
  const user = process.geteuid?.() ?? 0;
  process.seteuid?.(NOBODY);
  try {
    return await act();
  } finally {
    process.seteuid?.(user);
  }
}

function otherWay(): 'nobody' | 'none' {
  return canBeNobody() ? 'nobody' : 'none';
}

/** Whether a file without any mode bits is closed to this process. */
function denies(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'fs-sidecar-'));
  try {
    writeFileSync(join(folder, 'closed'), '', { mode: 0 });
    closeSync(openSync(join(folder, 'closed'), 'r'));
    return false;
  } catch {
    return true;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function canBeNobody(): boolean {
  const user = process.geteuid?.();
  if (user === undefined) return false;
  try {
    process.seteuid?.(NOBODY);
    return statSync(rgPath).isFile();
  } catch {
    return false;
  } finally {
    process.seteuid?.(user);
  }
}
