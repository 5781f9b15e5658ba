export const chat = {
  'chat.contents.required': {
    source: 'spec: Chat, rule 1',
    behavior: 'Empty or missing contents give 400 VALIDATION_ERROR',
  },
  'chat.contents.types': {
    source: 'spec: Chat request body',
    behavior:
      'Items are text, image_url with detail, audio with audio_url, file with file_info; nothing else',
  },
  'chat.contents.urls': {
    source: 'spec: Chat request body; contract §4',
    behavior: 'Media URLs are http:, https: or a data: base64 URI that decodes; else 400 naming the field',
  },
  'chat.messages.refused': {
    source: 'spec: Chat request body',
    behavior: 'messages[] is refused, also beside contents',
  },
  'chat.settings.bounds': {
    source: 'spec: Limits',
    behavior: 'temperature 0–2, top_p 0–1, max_tokens ≥ 1, bounds inclusive; penalties are any finite number',
  },
  'chat.settings.unknown': {
    source: 'spec: Chat, rule 3',
    behavior: 'Unknown settings fields are refused',
  },
  'chat.body.strict': {
    source: 'contract §1',
    behavior:
      'Unknown fields, numbers in strings and wrong types are 400 with the field name; null counts as absent',
  },
  'chat.body.unreadable': {
    source: 'contract §1',
    behavior: 'Malformed, too large and too deep bodies and unknown routes answer the flat error body',
  },
  'chat.protocol.426': {
    source: 'spec: Chat, rule 2',
    behavior: 'A streaming request without the protocol header or with another value gives 426',
  },
  'chat.protocol.order': {
    source: 'contract §1, order of checks',
    behavior: '401 before 404 before 403 before 400 before 426',
  },
  'chat.protocol.echo': {
    source: 'spec: Chat',
    behavior: 'A stream carries the protocol header and is exactly text/event-stream',
  },
  'chat.json': {
    source: 'contract §4',
    behavior: 'stream: false answers one JSON body with the answer, usage and seconds; the header is ignored',
  },
  'chat.sessions': {
    source: 'spec: Session; contract §4',
    behavior: 'A session_id continues the conversation, an unknown one starts one under that name',
  },
  'chat.media.model': {
    source: 'contract §4; turns.md',
    behavior:
      'The model gets text, image, audio and file parts as its protocol wants them; text files become text',
  },
  'chat.media.capability': {
    source: 'contract §4',
    behavior: 'A kind of content that the model cannot take is a 400 that names the item',
  },
  'chat.model': {
    source: 'contract §4, §5',
    behavior:
      'A chat, execution, or job can name another model; only for the owner of the agent and admins, and for the whole turn',
  },
  'chat.settings.model': {
    source: 'contract §4',
    behavior:
      'Settings reach the model over the agent’s defaults; max_tokens is lowered to the model’s limit',
  },
} as const;
