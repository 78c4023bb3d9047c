import { type Fold, toLower } from './case-folding.ts';
import { type Address, BACKTRACK, type Instruction, type Machine } from './machine.ts';

/** Whether a set has a character. */
export type CharacterTest = (codePoint: number) => boolean;

/** The registers of a group: where it starts, and in the next one where it ends. */
export type GroupRegister = number;

export function takeCharacter(test: CharacterTest, next: Address): Instruction {
  return (machine) => {
    if (!test(machine.characterAt(machine.position))) return BACKTRACK;
    machine.position += 1;
    return next;
  };
}

export function requirePlace(test: (machine: Machine) => boolean, next: Address): Instruction {
  return (machine) => (test(machine) ? next : BACKTRACK);
}

export function tryInOrder(first: Address, second: Address): Instruction {
  return (machine) => {
    machine.choose(second);
    return first;
  };
}

export function notePosition(register: number, next: Address): Instruction {
  return (machine) => {
    machine.write(register, machine.position);
    return next;
  };
}

/** A group has taken part when it is closed; while it is open again it may end before it starts. */
export function tookPart(machine: Machine, group: GroupRegister): boolean {
  const start = machine.read(group);
  return start >= 0 && machine.read(group + 1) >= start;
}

export function askGroup(group: GroupRegister, yes: Address, no: Address): Instruction {
  return (machine) => (tookPart(machine, group) ? yes : no);
}

/** Compares by lower case alone where case is ignored, as sre does: a long s is not an s here. */
export function takeSame(group: GroupRegister, fold: Fold, next: Address): Instruction {
  return (machine) => {
    if (!tookPart(machine, group)) return BACKTRACK;
    const start = machine.read(group);
    const length = machine.read(group + 1) - start;
    machine.spend(length);
    for (let i = 0; i < length; i++) {
      const character = machine.characterAt(machine.position + i);
      if (character < 0 || toLower(character, fold) !== toLower(machine.characterAt(start + i), fold)) return BACKTRACK;
    }
    machine.position += length;
    return next;
  };
}

/** Notes how high the trail is, for `commit` or `refute`. */
export function enter(height: number, body: Address): Instruction {
  return (machine) => {
    machine.write(height, machine.height);
    return body;
  };
}

/** Ends an atomic group: nothing inside is tried again. */
export function commit(height: number, next: Address): Instruction {
  return (machine) => {
    machine.cut(machine.read(height));
    return next;
  };
}

/** Starts a look-around `back` characters before. */
export function look(height: number, origin: number, back: number, body: Address): Instruction {
  return (machine) => {
    if (machine.position < back) return BACKTRACK;
    machine.write(height, machine.height);
    machine.write(origin, machine.position);
    machine.position -= back;
    return body;
  };
}

/** Ends a positive look-around, at the place where it started. */
export function endLook(height: number, origin: number, next: Address): Instruction {
  return (machine) => {
    machine.cut(machine.read(height));
    machine.position = machine.read(origin);
    return next;
  };
}

/** Starts a negative look-around: `next` follows when its body fails, or there are too few characters before. */
export function lookAgainst(height: number, back: number, body: Address, next: Address): Instruction {
  return (machine) => {
    if (machine.position < back) return next;
    const { height: before } = machine;
    machine.choose(next);
    machine.write(height, before);
    machine.position -= back;
    return body;
  };
}

/** Ends the body of a negative look-around, which then fails as if it had not been tried. */
export function refute(height: number): Instruction {
  return (machine) => {
    machine.unwind(machine.read(height));
    return BACKTRACK;
  };
}
