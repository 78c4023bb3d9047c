import { type TObject, type TSchema, Type } from 'typebox';
import { MAX_INTEGER } from './fields.ts';
import type { Operation } from './operation.ts';
import { oneOf } from './schema.ts';

const count = (description: string) => Type.Integer({ minimum: 0, maximum: MAX_INTEGER, description });

export const Skipped = Type.Object(
  {
    excluded: count('Left out by excludeGlob.'),
    ignored: count('Left out by .gitignore files.'),
    unreadable: count('Could not be opened, or not be read.'),
    binary: count('Binary files that match: they hold a NUL.'),
    too_large: count('Files too large to search.'),
    undecodable: count('Files too large to decode.'),
  },
  {
    $id: 'Skipped',
    additionalProperties: false,
    description: 'Entries that were met and left out; a folder counts once, with all below it.',
  },
);

const truncated = Type.Boolean({ description: 'Whether there is more than this reply holds.' });
const truncatedBy = (field: 'maxResults' | 'maxBytes') =>
  Type.Optional(
    oneOf([field, 'limit', 'timeout'], {
      description: `What cut it: \`${field}\` of the request, \`limit\` of the server, or \`timeout\`. Given when \`truncated\` is true.`,
    }),
  );

/** What closes the reply of an operation: the end of its JSON object, and the data of its stream's last line. */
export function endFields(operation: Operation): Record<string, TSchema> {
  if (operation.list === undefined) {
    return { ...operation.endFields, truncated, truncated_by: truncatedBy('maxBytes') };
  }
  return {
    count: count('Results in this reply.'),
    truncated,
    truncated_by: truncatedBy('maxResults'),
    skipped: Type.Ref('Skipped'),
    hints: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Why nothing was found, where that can be told.',
        examples: [['It would match with caseSensitive=false.']],
      }),
    ),
  };
}

const pathShown = (example: string) => ({
  path: Type.String({ description: 'What was asked for, from the workspace root.', examples: [example] }),
  path_bytes: Type.Optional(Type.String({ description: 'The path in base64, when it is not UTF-8.' })),
});
const patternShown = Type.String({ description: 'The pattern as it was given.' });

/** The JSON reply of an operation. */
export function replySchema(operation: Operation): TObject {
  const { input, list, name, record } = operation;
  const head = {
    ...pathShown(list === undefined ? '/src/main.py' : '/src/'),
    ...('pattern' in input.properties ? { pattern: patternShown } : {}),
  };
  const body: Record<string, TSchema> =
    list === undefined
      ? { content: Type.String({ description: "The file's own text, or its bytes in base64." }) }
      : { [list]: Type.Array(Type.Ref(String(idOf(record))), { description: 'The results, in order.' }) };
  return Type.Object(
    { ...head, ...body, ...endFields(operation) },
    { $id: `${titled(name)}Reply`, additionalProperties: false, description: `The reply of ${name}.` },
  );
}

const Begin = Type.Object(
  {
    ...pathShown('/src/'),
    pattern: Type.Optional(patternShown),
    limits: Type.Object(
      {
        maxResults: Type.Optional(count('At most this many results; without it, all there are.')),
        maxBytes: Type.Optional(count('At most this many bytes of content, of a read.')),
        timeoutMs: count('Milliseconds after which the stream ends with what it has.'),
      },
      { additionalProperties: false, description: 'What may cut the stream.' },
    ),
  },
  { $id: 'Begin', additionalProperties: false, description: 'How a stream begins.' },
);

/** The schemas of an operation's stream: that of a line first, then those that it names. */
export function streamSchemas(operation: Operation): [line: TSchema, ...named: TSchema[]] {
  const { list, name, record, recordType } = operation;
  const End = Type.Object(
    { ...endFields(operation), elapsed_ms: count('Milliseconds that the request took.') },
    {
      $id: list === undefined ? `${titled(name)}End` : 'End',
      additionalProperties: false,
      description: 'What closes the JSON reply, too, and how long it took. With this line the stream is whole.',
    },
  );
  const line = (type: string, data: TSchema) =>
    Type.Object(
      { type: oneOf([type], { description: 'What `data` is.' }), data: Type.Ref(String(idOf(data))) },
      { additionalProperties: false },
    );
  const lines = [line('begin', Begin), line(recordType, record), line('end', End), line('error', ErrorResponse)];
  return [
    Type.Unsafe({
      $id: `${titled(name)}Line`,
      description: `A line of the stream of ${name}. Pass over types that are not listed here: there may be more one day.`,
      oneOf: lines,
    }),
    Begin,
    End,
  ];
}

function titled(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** The name under which a schema is documented. */
export function idOf(schema: TSchema): unknown {
  return '$id' in schema ? schema.$id : undefined;
}

export const ErrorResponse = Type.Object(
  {
    type: Type.String({ description: 'Which problem it is, as a URI; it names the problem and leads nowhere.' }),
    title: Type.String({ description: 'The problem in short, the same for every occurrence.' }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status.' }),
    detail: Type.String({ description: 'What was wrong, and what to send instead: for the model that reads it.' }),
    code: Type.String({
      description: 'Which problem it is, as a word that programs can go by.',
      examples: ['NOT_FOUND'],
    }),
    instance: Type.String({ description: "This occurrence; ends in the request's id, under which the log has it." }),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            detail: Type.String({ description: 'What was wrong with the field.' }),
            pointer: Type.String({ description: 'The field, as a JSON Pointer (RFC 6901).', examples: ['#/pattern'] }),
          },
          { additionalProperties: false, description: 'A field at fault.' },
        ),
        { description: 'Each field at fault, with `INPUT_INVALID`.' },
      ),
    ),
    suggestions: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 3,
        description: 'Existing paths that may have been meant, with `NOT_FOUND`.',
      }),
    ),
    total_lines: Type.Optional(count('Lines of the file that was asked for, with `RANGE_PAST_END`.')),
    position: Type.Optional(count('Where the pattern is at fault, in characters from 0, with `PATTERN_INVALID`.')),
  },
  {
    $id: 'ErrorResponse',
    description: 'A failure (RFC 9457). A failure is never a 200.',
    examples: [
      {
        type: 'tag:fs-sidecar,2026:problem/NOT_FOUND',
        title: 'Not found',
        status: 404,
        detail: "There is no '/src/mian.py' in the workspace.",
        code: 'NOT_FOUND',
        instance: 'tag:fs-sidecar,2026:request/7cc5980f-f3be-4f32-b974-d896891d34fb',
        suggestions: ['/src/main.py'],
      },
    ],
  },
);
