import pg from 'pg';

/** A statement, prepared or not. */
export interface SqlStatement {
  /** Only of a prepared one. */
  name?: string;
  text: string;
  values?: unknown[];
  /**
   * Whether each connection keeps its first plan. For a few rows, planning takes longer than executing, and PostgreSQL alone
   * would plan each time.
   */
  keepsPlan?: boolean;
  /** Whether the columns of its rows are renamed: `space_id` becomes `spaceId`. What their values contain stays as it is. */
  namesProperties?: boolean;
}

/** A prepared statement of a hot path. */
export interface PreparedStatement extends SqlStatement {
  name: string;
  values: unknown[];
}

/** By the name of a column. Statements are fixed texts, so there are few. */
const PROPERTIES = new Map<string, string>();

/** The name of a property: `spaceId` for `space_id`. */
export function propertyOf(column: string): string {
  let property = PROPERTIES.get(column);
  if (property === undefined) {
    property = column.replace(/_([a-z\d])/g, (_, next: string) => next.toUpperCase());
    PROPERTIES.set(column, property);
  }
  return property;
}

/** What a result knows of its rows when it has read their description. */
export interface RowShape {
  fields: unknown;
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}

// What the types of `pg` lack.
interface Wire {
  parse(statement: { text: string }): void;
  bind(portal: { statement?: string }): void;
  describe(portal: object): void;
  execute(portal: object): void;
}
interface RowDescription {
  fields: { name: string }[];
}
interface SubmittedQuery {
  name?: string;
  values?: unknown[];
  _result: RowShape;
  _accumulateRows: boolean;
  requiresPreparation(): boolean;
  prepare(wire: Wire): void;
  handleRowDescription(message: RowDescription): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
}
const Query = pg.Query as unknown as new (text: string) => SubmittedQuery;

/**
 * A statement as it is sent. PostgreSQL describes the rows of a prepared one only when a connection executes it for the first
 * time: reading the description would take longer than reading the rows.
 *
 * Together with it, another statement can be sent that sets what holds for its transaction only. Outside of a transaction that
 * is the statement itself: PostgreSQL commits both where they are synchronized, after the second.
 */
export class Statement extends Query {
  private isPreceded: boolean;
  private readonly namesProperties: boolean;

  /** `first`: returns no rows; with a name, it has been prepared. `shapes`: of the prepared statements of the connection. */
  constructor(
    { name, text, values, namesProperties = false }: SqlStatement,
    private readonly first: { name?: string; text: string } | null,
    private readonly shapes?: Map<string, RowShape>,
  ) {
    // An object would be copied, property by property.
    super(text);
    this.name = name;
    this.values = values;
    this.isPreceded = first !== null;
    this.namesProperties = namesProperties;
  }

  override requiresPreparation(): boolean {
    return this.first !== null || super.requiresPreparation();
  }

  override prepare(wire: Wire): void {
    if (this.first !== null) {
      const { name, text } = this.first;
      if (name === undefined) wire.parse({ text });
      wire.bind(name === undefined ? {} : { statement: name });
      wire.execute({});
    }
    const shape = this.name === undefined ? undefined : this.shapes?.get(this.name);
    if (shape !== undefined) {
      Object.assign(this._result, shape);
      this._accumulateRows = true;
    }
    super.prepare(shape === undefined ? wire : withoutDescription(wire));
  }

  override handleRowDescription(message: RowDescription): void {
    if (this.namesProperties) for (const field of message.fields) field.name = propertyOf(field.name);
    super.handleRowDescription(message);
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.isPreceded) {
      this.isPreceded = false;
      return;
    }
    super.handleCommandComplete(message, wire);
    if (this.name === undefined || this.shapes === undefined || this.shapes.has(this.name)) return;
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    this.shapes.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
  }
}

function withoutDescription(wire: Wire): Wire {
  return Object.assign(Object.create(wire) as Wire, { describe: () => undefined });
}
