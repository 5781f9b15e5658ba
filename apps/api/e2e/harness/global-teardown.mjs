export default async function teardown() {
  await globalThis.throwawayPostgres?.stop();
}
