import { Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { MemberRemovalsRegistry } from '../auth/people/member-removals.registry.ts';
import { SavedViewsController } from './saved-views.controller.ts';
import { SavedViewsService } from './saved-views.service.ts';
import { deletePrivateViews, lockViews } from './saved-views.store.ts';

@Module({
  imports: [AuthModule],
  controllers: [SavedViewsController],
  providers: [SavedViewsService],
})
export class SavedViewsModule implements OnModuleInit {
  constructor(private readonly removals: MemberRemovalsRegistry) {}

  onModuleInit(): void {
    this.removals.register({
      remove: async (tx, removed) => {
        await lockViews(tx, removed);
        await deletePrivateViews(tx, removed);
      },
    });
  }
}
