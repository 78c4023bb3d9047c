/** Where an instruction stands in a program. */
export type Address = number;

/** Does one step and tells which instruction is next, or `BACKTRACK`. */
export type Instruction = (machine: Machine) => Address;

export const BACKTRACK: Address = -1;
export const MATCHED: Address = -2;

export interface Program {
  readonly instructions: readonly Instruction[];
  readonly start: Address;
  /** How many registers the instructions use; each is -1 at the start of an attempt. */
  readonly registers: number;
}

/** Counts steps down for all the names of a batch. */
export interface Budget {
  steps: number;
}

const END_OF_TEXT = -1;
// Out of reach but for millions of turns that take nothing.
const MAX_HEIGHT = 1_000_000;

/**
 * Tries a program on a text by backtracking, as CPython's `_sre` does, and without recursion.
 *
 * What a later failure has to take back is on the trail: choices (an instruction to go on with, and from
 * where) and old values of registers. So a choice that is cut away, as at the end of an atomic group, leaves
 * behind what restores the registers.
 */
export class Machine {
  position = 0;
  #text: readonly number[] = [];
  #budget: Budget = { steps: 0 };
  readonly #program: Program;
  readonly #registers: Int32Array;
  // Pairs: where to go on and the address; or the old value and the complement of the register.
  #trail = new Int32Array(256);
  #height = 0;

  constructor(program: Program) {
    this.#program = program;
    this.#registers = new Int32Array(program.registers);
  }

  /** Whether the program matches anywhere in `text`, which holds code points. Stops when the budget is spent. */
  search(text: readonly number[], budget: Budget): boolean {
    this.#text = text;
    this.#budget = budget;
    for (let start = 0; start <= text.length && budget.steps > 0; start++) {
      this.#registers.fill(-1);
      this.#height = 0;
      this.position = start;
      if (this.#run()) return true;
    }
    return false;
  }

  get length(): number {
    return this.#text.length;
  }

  /** Counts work that one instruction does for many characters. */
  spend(steps: number): void {
    this.#budget.steps -= steps;
  }

  /** How high the trail is: what `cut` and `unwind` go back to. */
  get height(): number {
    return this.#height;
  }

  /** The character at `position`, or a number that is in no set. */
  characterAt(position: number): number {
    return this.#text[position] ?? END_OF_TEXT;
  }

  read(register: number): number {
    return this.#registers[register] ?? -1;
  }

  /** Sets a register until a choice made before is taken up again. */
  write(register: number, value: number): void {
    this.#push(this.read(register), ~register);
    this.#registers[register] = value;
  }

  /** Lets a later failure go on at `address`, from here. */
  choose(address: Address): void {
    this.#push(this.position, address);
  }

  /** Forgets the choices made since the trail had this height. */
  cut(height: number): void {
    let kept = height;
    for (let i = height; i < this.#height; i += 2) {
      const key = this.#trail[i + 1] ?? 0;
      if (key >= 0) continue;
      this.#trail[kept] = this.#trail[i] ?? 0;
      this.#trail[kept + 1] = key;
      kept += 2;
    }
    this.#height = kept;
  }

  /** Takes back all since the trail had this height, choices too. */
  unwind(height: number): void {
    while (this.#height > height) this.#undo();
  }

  #run(): boolean {
    let address = this.#program.start;
    while (this.#budget.steps > 0 && this.#height < MAX_HEIGHT) {
      this.#budget.steps -= 1;
      address = this.#program.instructions[address]?.(this) ?? BACKTRACK;
      if (address === BACKTRACK) address = this.#backtrack();
      if (address < 0) return address === MATCHED;
    }
    this.#budget.steps = 0;
    return false;
  }

  #push(value: number, key: number): void {
    if (this.#height === this.#trail.length) {
      const longer = new Int32Array(2 * this.#height);
      longer.set(this.#trail);
      this.#trail = longer;
    }
    this.#trail[this.#height] = value;
    this.#trail[this.#height + 1] = key;
    this.#height += 2;
  }

  #backtrack(): Address {
    while (this.#height > 0) {
      const address = this.#undo();
      if (address >= 0) return address;
    }
    return BACKTRACK;
  }

  // Returns the address of a choice, a negative number for a register.
  #undo(): number {
    this.#height -= 2;
    const value = this.#trail[this.#height] ?? 0;
    const key = this.#trail[this.#height + 1] ?? 0;
    if (key >= 0) this.position = value;
    else this.#registers[~key] = value;
    return key;
  }
}
