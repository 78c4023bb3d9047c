import { syntaxFault } from './fault.ts';
import type { Width } from './width.ts';

const SEND_NAME = 'Refer to a group that is closed further left: (?P<name>…) and then (?P=name).';

/** The capturing groups of a pattern as far as it has been read. */
export class Groups {
  readonly #names = new Map<string, number>();
  readonly #widths: (Width | undefined)[] = [];
  readonly #promised = new Map<number, number>();
  #lookBehindFrom: number | undefined;

  get count(): number {
    return this.#widths.length;
  }

  /** Opens the next group and returns its number, from 1. `position` is the name's. */
  open(name: string | undefined, position: number): number {
    const group = this.count + 1;
    if (name !== undefined) {
      const known = this.#names.get(name);
      if (known !== undefined) {
        throw syntaxFault(position, `second group named ${name}`, 'Give each group a name of its own.');
      }
      this.#names.set(name, group);
    }
    this.#widths.push(undefined);
    return group;
  }

  close(group: number, width: Width): void {
    this.#widths[group - 1] = width;
  }

  /** The width of a closed group. */
  widthOf(group: number): Width | undefined {
    return this.#widths[group - 1];
  }

  named(name: string, position: number): number {
    const group = this.#names.get(name);
    if (group === undefined) {
      throw syntaxFault(position, `unknown group name ${name}`, 'Names are defined by (?P<name>…) further left.');
    }
    return group;
  }

  /** Fails when a back-reference may not name `group`. `after` is where the reference ends. */
  checkReference(group: number, position: number, after: number): void {
    if (this.#widths[group - 1] === undefined) {
      throw syntaxFault(position, `reference to group ${group}, which is still open,`, SEND_NAME);
    }
    this.checkLookBehind(group, after);
  }

  /** Fails when a reference inside a look-behind names a group of the same look-behind. */
  checkLookBehind(group: number, position: number): void {
    if (this.#lookBehindFrom === undefined) return;
    if (this.#widths[group - 1] === undefined) {
      throw syntaxFault(position, `reference to group ${group}, which is still open,`, SEND_NAME);
    }
    if (group > this.#lookBehindFrom) {
      throw syntaxFault(position, `reference to group ${group} of the same look-behind`, SEND_NAME);
    }
  }

  /** Marks the groups opened until the returned function is called as those of one look-behind. */
  enterLookBehind(): () => void {
    const outer = this.#lookBehindFrom;
    this.#lookBehindFrom ??= this.count;
    return () => {
      this.#lookBehindFrom = outer;
    };
  }

  /** Notes that a conditional names `group`, which may be opened further right. */
  promise(group: number, position: number): void {
    if (!this.#promised.has(group)) this.#promised.set(group, position);
  }

  /** Fails when a promised group never came. */
  checkPromises(): void {
    for (const [group, position] of this.#promised) {
      if (group > this.count) {
        throw syntaxFault(position, `reference to group ${group}, which does not exist,`, SEND_NAME);
      }
    }
  }
}
