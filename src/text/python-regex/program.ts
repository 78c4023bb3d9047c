import { type LookNode, nodesOf, type RegexNode, type RepeatNode } from './ast.ts';
import { testFor } from './char-set.ts';
import {
  askGroup,
  type CharacterTest,
  commit,
  endLook,
  enter,
  type GroupRegister,
  look,
  lookAgainst,
  notePosition,
  refute,
  requirePlace,
  takeCharacter,
  takeSame,
  tryInOrder,
} from './instructions.ts';
import { type Address, type Instruction, MATCHED, type Program } from './machine.ts';
import { placeTest } from './place-test.ts';
import {
  startTurns,
  takeAll,
  takeFew,
  takeFewer,
  takeMany,
  takeOneMore,
  turnForGood,
  turnGreedily,
  turnLazily,
  turnOnceMore,
} from './repeat-instructions.ts';

/** The program that searches as `Modules/_sre/sre_lib.h` of CPython 3.11 does, in the same order. */
export function toProgram(tree: RegexNode): Program {
  return new Compiler(tree).compile();
}

/** Writes a program from its end: each node is told what follows it, and tells where it starts. */
class Compiler {
  readonly #tree: RegexNode;
  readonly #instructions: Instruction[] = [];
  readonly #groups = new Map<number, GroupRegister>();
  #registers = 0;

  constructor(tree: RegexNode) {
    this.#tree = tree;
    for (const node of nodesOf(tree)) {
      const asksFor = node.type === 'reference' || node.type === 'conditional' ? node.group : undefined;
      if (asksFor !== undefined && !this.#groups.has(asksFor)) this.#groups.set(asksFor, this.#registersFor(2));
    }
  }

  compile(): Program {
    const end = this.#add(() => MATCHED);
    const start = this.#node(this.#tree, end);
    return { instructions: this.#instructions, start, registers: this.#registers };
  }

  #registersFor(count: number): number {
    const first = this.#registers;
    this.#registers += count;
    return first;
  }

  #add(instruction: Instruction): Address {
    return this.#instructions.push(instruction) - 1;
  }

  /** Adds an instruction that has to know its own address. */
  #addLooped(write: (self: Address) => Instruction): Address {
    const self = this.#instructions.length;
    this.#instructions.length += 1;
    this.#instructions[self] = write(self);
    return self;
  }

  #node(node: RegexNode, next: Address): Address {
    switch (node.type) {
      case 'set':
        return this.#add(takeCharacter(testFor(node.set), next));
      case 'place':
        return this.#add(requirePlace(placeTest(node), next));
      case 'sequence':
        return node.items.reduceRight((after, item) => this.#node(item, after), next);
      case 'alternation':
        return node.branches
          .map((branch) => this.#node(branch, next))
          .reduceRight((second, first) => this.#add(tryInOrder(first, second)));
      case 'reference':
        return this.#add(takeSame(this.#registerOf(node.group), node.fold, next));
      case 'conditional':
        return this.#add(askGroup(this.#registerOf(node.group), this.#node(node.yes, next), this.#node(node.no, next)));
      case 'capture':
        return this.#capture(node.body, this.#groups.get(node.group), next);
      case 'atomic':
        return this.#atomic(node.body, next);
      case 'look':
        return node.negative ? this.#lookAgainst(node, next) : this.#look(node, next);
      case 'repeat':
        return this.#repeat(node, next);
    }
  }

  #registerOf(group: number): GroupRegister {
    return this.#groups.get(group) ?? 0;
  }

  #capture(body: RegexNode, register: GroupRegister | undefined, next: Address): Address {
    if (register === undefined) return this.#node(body, next);
    const close = this.#add(notePosition(register + 1, next));
    return this.#add(notePosition(register, this.#node(body, close)));
  }

  #atomic(body: RegexNode, next: Address): Address {
    const height = this.#registersFor(1);
    return this.#add(enter(height, this.#node(body, this.#add(commit(height, next)))));
  }

  #look({ body, back = 0 }: LookNode, next: Address): Address {
    const height = this.#registersFor(1);
    const origin = this.#registersFor(1);
    const end = this.#add(endLook(height, origin, next));
    return this.#add(look(height, origin, back, this.#node(body, end)));
  }

  #lookAgainst({ body, back = 0 }: LookNode, next: Address): Address {
    const height = this.#registersFor(1);
    return this.#add(lookAgainst(height, back, this.#node(body, this.#add(refute(height))), next));
  }

  #repeat(node: RepeatNode, next: Address): Address {
    if (node.max === 0) return next;
    if (node.body.type === 'set') return this.#repeatSet(testFor(node.body.set), node, next);
    if (node.mode === 'possessive') return this.#possessive(node, next);
    return node.mode === 'lazy' ? this.#lazy(node, next) : this.#greedy(node, next);
  }

  #repeatSet(test: CharacterTest, node: RepeatNode, next: Address): Address {
    if (node.mode === 'possessive') return this.#add(takeAll(test, node, next));
    const bound = this.#registersFor(1);
    if (node.mode === 'lazy') {
      const more = this.#addLooped((self) => takeOneMore(test, bound, self, next));
      return this.#add(takeFew(test, node, bound, more, next));
    }
    const fewer = this.#addLooped((self) => takeFewer(bound, self, next));
    return this.#add(takeMany(test, node, bound, fewer, next));
  }

  #greedy(node: RepeatNode, next: Address): Address {
    const registers = { count: this.#registersFor(1), last: this.#registersFor(1) };
    const head = this.#addLooped((self) => turnGreedily(node, registers, this.#node(node.body, self), next));
    return this.#add(startTurns(registers, head));
  }

  #lazy(node: RepeatNode, next: Address): Address {
    const registers = { count: this.#registersFor(1), last: this.#registersFor(1) };
    const head = this.#addLooped((self) => {
      const body = this.#node(node.body, self);
      return turnLazily(node, registers, body, this.#add(turnOnceMore(node, registers, body)), next);
    });
    return this.#add(startTurns(registers, head));
  }

  #possessive(node: RepeatNode, next: Address): Address {
    const registers = { count: this.#registersFor(1), last: this.#registersFor(1), height: this.#registersFor(1) };
    const head = this.#addLooped((self) => {
      const end = this.#add(commit(registers.height, self));
      return turnForGood(node, registers, this.#node(node.body, end), next);
    });
    return this.#add(startTurns(registers, head));
  }
}
