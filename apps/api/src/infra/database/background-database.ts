import { DataSource } from 'typeorm';

/** The database for what nobody waits for: it works on while callers use up the connections of `DataSource`. */
export class BackgroundDatabase extends DataSource {}
