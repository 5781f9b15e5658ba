import { readConfig } from './infra/config/platform-config.ts';
import { explainDatabaseError } from './start-errors.ts';

describe('explainDatabaseError', () => {
  const config = readConfig({
    DATABASE_URL: 'postgres://platform:secret@db.example.com/platform',
    PLATFORM_SECRET_KEY: 'ab'.repeat(32),
  });
  const explain = (code: string, message: string) =>
    explainDatabaseError(Object.assign(new Error(message), { code }), config);

  it('names the server and the remedy, and leaves other errors as they are', () => {
    expect(String(explain('28P01', 'password authentication failed'))).toContain(
      'The database at db.example.com:5432/platform cannot be used, because it rejects the password',
    );
    expect(String(explain('28P01', 'password authentication failed'))).not.toContain('secret');
    const other = new Error('other');
    expect(explainDatabaseError(other, config)).toBe(other);
  });

  it.each([
    ['28000', 'no pg_hba.conf entry for host "10.0.0.7", no encryption', 'sslmode=require'],
    ['42601', 'syntax error at or near "nulls"', 'older than PostgreSQL 15'],
    ['53100', 'could not write to file "pg_wal/xlogtemp.1": No space left on device', 'its disk is full'],
    ['53300', 'sorry, too many clients already', 'no free connections'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain', 'sslrootcert'],
    ['ENOENT', "ENOENT: no such file or directory, open '/ca.pem'", 'does not exist'],
    ['', 'Connection terminated unexpectedly', 'no PostgreSQL'],
    ['', 'Connection terminated due to connection timeout', 'it does not respond'],
    ['', 'The server does not support SSL connections', 'it does not support TLS'],
  ])('says what is wrong with a server that cannot be used: %s %s', (code, message, reason) => {
    expect(String(explain(code, message))).toContain(reason);
  });

  it('tells what to do about a table that is in use for too long', () => {
    expect(String(explain('55P03', 'canceling statement due to lock timeout'))).toContain(
      'see pg_stat_activity',
    );
  });
});
