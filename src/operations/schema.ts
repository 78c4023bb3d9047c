import { type TSchema, Type } from 'typebox';

/**
 * A field that may be left out and then has `schema`'s default. Documents show
 * it as not required, which TypeBox alone does not do for a field with a
 * default; its type is that of a field that is there, as validation leaves it.
 */
export function defaulted<T extends TSchema>(schema: T): T {
  return Type.Optional(schema) as TSchema as T;
}

/** One of `values`. TypeBox's own enums have no `type`, which client generators need. */
export function oneOf<const V extends readonly string[]>(values: V, options: object) {
  return Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options });
}
