import { regexParts, repeatOf } from './regex-parts.ts';

/** Whether a regex may match the empty text somewhere. Throws PATTERN_INVALID. */
export function mayBeEmpty(regex: string): boolean {
  const { parts } = regexParts(regex);
  const groups = [new Group()];
  for (const [at, { kind }] of parts.entries()) {
    if (kind === 'open') groups.push(new Group());
    if (kind === 'or') groups.at(-1)?.nextBranch();
    const takesSome = kind === 'atom' || (kind === 'close' && groups.pop()?.mayBeEmpty === false);
    if (takesSome && !repeatOf(parts, at).isOptional) groups.at(-1)?.takeSome();
  }
  return groups[0]?.mayBeEmpty !== false;
}

/** A group under way, as far as it is read. */
class Group {
  #isBranchEmpty = true;
  #hadEmptyBranch = false;

  get mayBeEmpty(): boolean {
    return this.#isBranchEmpty || this.#hadEmptyBranch;
  }

  takeSome(): void {
    this.#isBranchEmpty = false;
  }

  nextBranch(): void {
    this.#hadEmptyBranch = this.mayBeEmpty;
    this.#isBranchEmpty = true;
  }
}
