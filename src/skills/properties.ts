import { Type } from 'typebox';
import { globs, MAX_INTEGER, MAX_PATTERN } from '../operations/fields.ts';
import { defaulted } from '../operations/schema.ts';

/** How to go on when there is more, for skills that search for a pattern. */
export const GO_ON =
  'It gives at most `maxResults`, 100 by default: when the last line, in brackets, says that there is more, narrow `path` or `pattern`, or raise it.';

/** A path property called whatever the skill calls it. */
export const path = (description: string) => defaulted(Type.String({ default: './', description, examples: ['src/'] }));

export const pattern = (description: string, examples: string[]) =>
  Type.String({ minLength: 1, maxLength: MAX_PATTERN, description, examples });

export const flag = (fallback: boolean, description: string) =>
  defaulted(Type.Boolean({ default: fallback, description }));

export const maxResults = (fallback: number, what: string) =>
  defaulted(
    Type.Integer({
      minimum: 1,
      maximum: MAX_INTEGER,
      default: fallback,
      description: `At most this many ${what}; a last line in brackets says when there are more.`,
    }),
  );

export const includeGlob = (what: string) => globs(`Only ${what} that match one of these, such as \`*.py\`.`, ['*']);

export const excludeGlob = (what: string, list: string[]) =>
  globs(`Not ${what} that match one of these, nor what lies below.`, list);
