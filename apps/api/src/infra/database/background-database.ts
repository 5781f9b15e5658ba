import { DataSource } from 'typeorm';

/** The database for background work, which continues when requests use all connections of `DataSource`. */
export class BackgroundDatabase extends DataSource {}
