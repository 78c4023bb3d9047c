import type { CharacterTest } from './instructions.ts';
import { type Address, BACKTRACK, type Instruction, type Machine } from './machine.ts';
import type { Bounds } from './quantifier.ts';

/** The registers of a repeat: how many turns it has taken, and where the last one that it need not take began. */
export interface TurnRegisters {
  readonly count: number;
  readonly last: number;
}

export function startTurns({ count, last }: TurnRegisters, head: Address): Instruction {
  return (machine) => {
    machine.write(count, 0);
    machine.write(last, -1);
    return head;
  };
}

/** Before each turn of a greedy repeat. After a turn that took nothing there is no other. */
export function turnGreedily(bounds: Bounds, registers: TurnRegisters, body: Address, next: Address): Instruction {
  return (machine) => {
    if (mustTurn(machine, bounds, registers)) return turn(machine, registers, body);
    if (!mayTurn(machine, bounds, registers)) return next;
    machine.choose(next);
    machine.write(registers.last, machine.position);
    return turn(machine, registers, body);
  };
}

/** Before each turn of a lazy repeat: what follows comes first, and `more` takes the turn. */
export function turnLazily(
  bounds: Bounds,
  registers: TurnRegisters,
  body: Address,
  more: Address,
  next: Address,
): Instruction {
  return (machine) => {
    if (mustTurn(machine, bounds, registers)) return turn(machine, registers, body);
    machine.choose(more);
    return next;
  };
}

export function turnOnceMore(bounds: Bounds, registers: TurnRegisters, body: Address): Instruction {
  return (machine) => {
    if (!mayTurn(machine, bounds, registers)) return BACKTRACK;
    machine.write(registers.last, machine.position);
    return turn(machine, registers, body);
  };
}

/** Before each turn of a possessive repeat, which `commit` of `height` ends: no turn is tried again. */
export function turnForGood(
  bounds: Bounds,
  registers: TurnRegisters & { readonly height: number },
  body: Address,
  next: Address,
): Instruction {
  return (machine) => {
    const { height } = machine;
    if (!mustTurn(machine, bounds, registers)) {
      if (!mayTurn(machine, bounds, registers)) return next;
      machine.choose(next);
      machine.write(registers.last, machine.position);
    }
    machine.write(registers.height, height);
    return turn(machine, registers, body);
  };
}

function mustTurn(machine: Machine, { min }: Bounds, { count }: TurnRegisters): boolean {
  return machine.read(count) < min;
}

function mayTurn(machine: Machine, { max }: Bounds, { count, last }: TurnRegisters): boolean {
  return machine.read(count) < max && machine.position !== machine.read(last);
}

function turn(machine: Machine, { count }: TurnRegisters, body: Address): Address {
  machine.write(count, machine.read(count) + 1);
  return body;
}

/** Takes as many characters of a set as there are; `fewer` gives them back one by one, down to `floor`. */
export function takeMany(
  test: CharacterTest,
  bounds: Bounds,
  floor: number,
  fewer: Address,
  next: Address,
): Instruction {
  return (machine) => {
    const least = machine.position + bounds.min;
    const end = endOfRun(machine, test, bounds.max);
    if (end < least) return BACKTRACK;
    machine.position = end;
    if (end === least) return next;
    machine.write(floor, least);
    machine.choose(fewer);
    return next;
  };
}

export function takeFewer(floor: number, self: Address, next: Address): Instruction {
  return (machine) => {
    machine.position -= 1;
    if (machine.position > machine.read(floor)) machine.choose(self);
    return next;
  };
}

/** Takes as few characters of a set as it may; `more` takes another one, up to `ceiling`. */
export function takeFew(
  test: CharacterTest,
  bounds: Bounds,
  ceiling: number,
  more: Address,
  next: Address,
): Instruction {
  return (machine) => {
    const start = machine.position;
    if (endOfRun(machine, test, bounds.min) < start + bounds.min) return BACKTRACK;
    machine.write(ceiling, Math.min(start + bounds.max, machine.length));
    machine.position = start + bounds.min;
    machine.choose(more);
    return next;
  };
}

export function takeOneMore(test: CharacterTest, ceiling: number, self: Address, next: Address): Instruction {
  return (machine) => {
    if (machine.position >= machine.read(ceiling) || !test(machine.characterAt(machine.position))) return BACKTRACK;
    machine.position += 1;
    machine.choose(self);
    return next;
  };
}

/** Takes as many characters of a set as there are, and gives none back. */
export function takeAll(test: CharacterTest, bounds: Bounds, next: Address): Instruction {
  return (machine) => {
    const end = endOfRun(machine, test, bounds.max);
    if (end < machine.position + bounds.min) return BACKTRACK;
    machine.position = end;
    return next;
  };
}

function endOfRun(machine: Machine, test: CharacterTest, max: number): number {
  const { position } = machine;
  const limit = position + max;
  let end = position;
  while (end < limit && test(machine.characterAt(end))) end += 1;
  machine.spend(end - position);
  return end;
}
