// Preloaded into the service: where the process that started it is killed, it ends too, as on Ctrl-C.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
