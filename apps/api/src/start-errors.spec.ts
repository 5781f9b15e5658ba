import { readConfig } from './infra/config/platform-config.ts';
import { StartError } from './infra/config/start-error.ts';
import { explainDatabaseError } from './start-errors.ts';

describe('explainDatabaseError', () => {
  const config = readConfig({
    DATABASE_URL: 'postgres://platform:secret@db.example.com/platform',
    PLATFORM_SECRET_KEY: 'ab'.repeat(32),
  });
  const explain = (code: string, message: string) =>
    explainDatabaseError(Object.assign(new Error(message), { code }), config);

  it('says how PgBouncer accepts the settings of connections', () => {
    const error = explain('08P01', 'unsupported startup parameter: statement_timeout');
    expect(error).toBeInstanceOf(StartError);
    expect(String(error)).toContain(
      'db.example.com:5432/platform does not accept the settings of connections (unsupported startup parameter: statement_timeout)',
    );
    expect(String(error)).toContain('idle_in_transaction_session_timeout to its ignore_startup_parameters');
    expect(String(error)).not.toContain('secret');
  });

  it('names the server and the remedy, and leaves other errors as they are', () => {
    expect(String(explain('28P01', 'password authentication failed'))).toContain(
      'The database at db.example.com:5432/platform cannot be used, because it rejects the password',
    );
    const other = new Error('other');
    expect(explainDatabaseError(other, config)).toBe(other);
  });
});
