import { pageOf } from '../infra/responses/page-of.ts';

class MakerDto {
  id!: string;
  name!: string;
}

class SystemKeyDto {
  id!: string;
  /** The visible beginning of the key. */
  prefix!: string;
  createdAt!: string;
  lastUsedAt!: string | null;
  /** The API key that made it: when that key ends, this one ends as well. Null if a signed-in person made it. */
  endsWithApiKey!: MakerDto | null;
}

export class SystemKeyPageDto extends pageOf(SystemKeyDto) {}

export class CreatedSystemKeyDto extends SystemKeyDto {
  /** The key itself; returned only here. */
  systemKey!: string;
}
