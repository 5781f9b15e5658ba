import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What `search_terms` reads of each table. Statements must repeat it, or no index serves them. */
const SEARCHED: Record<string, [texts: string, condition: string]> = {
  agent: [`name || ' ' || description`, 'deleted_at is null'],
  task: ['name', 'deleted_at is null and retired_at is null'],
  tool: [`name || ' ' || description`, 'deleted_at is null'],
  tool_method: [`name || ' ' || description || ' ' || path`, 'true'],
  knowledge_document: [
    `title || ' ' || coalesce(file_name, '')`,
    'deleted_at is null and replaces_id is null',
  ],
  registered_event: [`name || ' ' || description`, 'retired_at is null'],
};

/** ASCII punctuation and white space separate words; any other character, such as an umlaut, belongs to one. */
const SEPARATORS = String.raw`[\s!-/:-@\[-\`{-~]+`;
/** Languages without spaces between words: each character is a word. */
const IDEOGRAPHS = String.raw`([\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff])`;

const words = (texts: string) => String.raw`select distinct left(word, 60) as word
  from regexp_split_to_table(lower(regexp_replace(${texts}, '${IDEOGRAPHS}', ' \1 ', 'g')), '${SEPARATORS}') as word
  where word <> ''`;

/**
 * Finds what people name. The space is a term of each row, so that the words of one space are not sought among those of all
 * others.
 */
export class Search1763600000102 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    const split = String.raw`left(texts, 4000) || ' ' || regexp_replace(left(texts, 4000), '([a-z0-9])([A-Z])', '\1 \2', 'g')`;
    await db.query(`
      create function search_terms(space uuid, texts text) returns tsvector
      language sql immutable strict parallel safe cost 2000
      as $$ select array_to_tsvector(array(${words(split)}) || space::text) $$`);
    await db.query(`
      create function search_query(space uuid, wanted text) returns tsquery
      language sql immutable strict parallel safe
      as $$ select (string_agg('''' || word || ''':* & ', '') || '''' || space::text || '''')::tsquery
        from (${words('left(wanted, 200)')} limit 8) as one $$`);
    for (const [table, [texts, condition]] of Object.entries(SEARCHED))
      await db.query(
        `create index ${table}_search on ${table} using gin (search_terms(space_id, ${texts})) where ${condition}`,
      );
  }

  async down(db: QueryRunner): Promise<void> {
    for (const table of Object.keys(SEARCHED)) await db.query(`drop index ${table}_search`);
    await db.query('drop function search_query(uuid, text), search_terms(uuid, text)');
  }
}
