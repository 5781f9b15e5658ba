import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { STREAM_PROTOCOL, STREAM_PROTOCOL_HEADER } from '@platform/contracts';
import { FrameDto } from './answers.schema.ts';

/** Documents a response that is a stream of frames, or the JSON of `answer` if the request asks for it. */
export function ApiStream(answer?: Type) {
  const json = answer && { 'application/json': { schema: { $ref: getSchemaPath(answer) } } };
  return applyDecorators(
    ApiExtraModels(FrameDto, ...(answer ? [answer] : [])),
    ApiOkResponse({
      description: 'Server-Sent Events: one frame per `data:` line.',
      content: { 'text/event-stream': { schema: { $ref: getSchemaPath(FrameDto) } }, ...json },
    }),
  );
}

/** Documents a stream that can be read from a position. */
export const ApiAttachedStream = () =>
  applyDecorators(
    ApiHeader({
      name: 'Last-Event-ID',
      description:
        'The last `id` that the client has: `<segment>.<seq>`. `segment` and `after` take precedence.',
      required: false,
    }),
    ApiStream(),
  );

/** Documents the header that is required to start a stream. */
export const ApiStreamProtocol = () =>
  ApiHeader({
    name: STREAM_PROTOCOL_HEADER,
    description: 'Required for a stream: without it, the response is 426.',
    required: false,
    schema: { type: 'string', enum: [STREAM_PROTOCOL] },
  });
