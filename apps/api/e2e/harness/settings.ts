/** What every process of the service in tests has, unless its test says otherwise. */
export const SETTINGS = {
  PLATFORM_ALLOWED_PRIVATE_HOSTS: '127.0.0.1',
  PLATFORM_MAX_RUNNING_TURNS: '1000',
  // Tests ask again and again until something has happened.
  PLATFORM_RATE_LIMIT: '1000000',
};

/** So that a busy machine is not taken for an outage. Tests of outages have a server of their own, and the limits of the service. */
export const PATIENCE = {
  PLATFORM_DATABASE_CONNECT_MS: '30000',
  PLATFORM_DATABASE_STATEMENT_MS: '60000',
  PLATFORM_DATABASE_LOCK_MS: '30000',
  PLATFORM_DATABASE_IDLE_TRANSACTION_MS: '60000',
};
