import type { Static, TObject } from 'typebox';

/** An operation as a skill asks for it. */
export interface SkillCall {
  operation: string;
  /** Fields of the operation; what is not given has the operation's default. */
  input: Record<string, unknown>;
  /** In `content`, paths below the start of the search. */
  relativePaths?: boolean;
  /** What the skill took besides the operation's fields, for the reviewer. */
  options?: Record<string, unknown>;
  /** What the caller should know about how the properties were taken. */
  warnings?: string[];
}

/** What a model emits for `POST /execute`: an action and its properties, and the operation that they mean. */
export interface Skill<P extends TObject = TObject> {
  action: string;
  title: string;
  /** For the model that is to choose: when to use it, what the defaults leave out, how to go on. */
  description: string;
  properties: P;
  toCall(properties: Static<P>): SkillCall;
}

/** Keeps the properties' types while declaring a skill. */
export function defineSkill<P extends TObject>(skill: Skill<P>): Skill<P> {
  return skill;
}
