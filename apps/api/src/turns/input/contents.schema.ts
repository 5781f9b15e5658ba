import type { ImageDetail } from '@platform/contracts';
import { ApiProperty, getSchemaPath } from '@nestjs/swagger';

// Only for the OpenAPI document. contents.ts validates requests.

export class TextContentDto {
  @ApiProperty({ enum: ['text'] })
  type!: 'text';
  text!: string;
}

class ImageUrlDto {
  /** `http:`, `https:` or `data:<type>;base64,…`; inline images are PNG, JPEG, GIF, WebP, AVIF or HEIC, by their bytes. */
  url!: string;
  @ApiProperty({ enum: ['auto', 'low', 'high'], default: 'auto' })
  detail?: ImageDetail;
}

class ImageContentDto {
  @ApiProperty({ enum: ['image_url'] })
  type!: 'image_url';
  image_url!: ImageUrlDto;
}

class AudioUrlDto {
  /** `http:`, `https:` or `data:<type>;base64,…` of a recording that is WAV or MP3, by its bytes. */
  url!: string;
}

class AudioContentDto {
  @ApiProperty({ enum: ['audio'] })
  type!: 'audio';
  audio_url!: AudioUrlDto;
}

/** Every other key is kept as metadata. */
class FileInfoDto {
  /** `http:`, `https:` or `data:<type>;base64,…`. */
  url!: string;
  name?: string;
  [key: string]: unknown;
}

class FileContentDto {
  @ApiProperty({ enum: ['file'] })
  type!: 'file';
  file_info!: FileInfoDto;
}

class AttachmentDto {
  id!: string;
  mime!: string;
  bytes!: number;
  /** Path below the service's address; needs the same credential. */
  url!: string;
}

class StoredImageUrlDto {
  url!: string;
  @ApiProperty({ enum: ['auto', 'low', 'high'] })
  detail!: ImageDetail;
}

class ImageMessageDto {
  @ApiProperty({ enum: ['image_url'] })
  type!: 'image_url';
  image_url!: StoredImageUrlDto;
  attachment?: AttachmentDto;
}

class AudioMessageDto extends AudioContentDto {
  attachment?: AttachmentDto;
}

class FileMessageDto {
  @ApiProperty({ enum: ['file'] })
  type!: 'file';
  /** As it was sent. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  file_info!: Record<string, unknown>;
  attachment?: AttachmentDto;
}

/** The content of requests, and its schema. */
export const CONTENTS = [TextContentDto, ImageContentDto, AudioContentDto, FileContentDto];
export const CONTENT_SCHEMA = oneOf(CONTENTS);

/** The content of the history, with media as links, and its schema. */
export const MESSAGE_CONTENTS = [TextContentDto, ImageMessageDto, AudioMessageDto, FileMessageDto];
export const MESSAGE_CONTENT_SCHEMA = oneOf(MESSAGE_CONTENTS);

function oneOf(classes: (new () => object)[]) {
  return { oneOf: classes.map((one) => ({ $ref: getSchemaPath(one) })) };
}
