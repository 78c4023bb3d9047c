import { type CatalogueError, PatternInvalid, withMembers } from '../../errors.ts';

/** `PATTERN_INVALID` for what `re.compile` refuses, at the position that CPython names. */
export function syntaxFault(position: number, fault: string, remedy: string): CatalogueError {
  return at(position, `Not a valid Python regular expression: ${fault} at position ${position}. ${remedy}`);
}

/** `PATTERN_INVALID` for what Python would run and this service cannot run exactly. */
export function unsupportedFault(position: number, construct: string, remedy: string): CatalogueError {
  return at(position, `This regular expression cannot be run: ${construct} at position ${position}. ${remedy}`);
}

function at(position: number, detail: string): CatalogueError {
  return withMembers(new PatternInvalid(detail), { position });
}
