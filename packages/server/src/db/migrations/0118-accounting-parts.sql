-- A state is stored as its changes, so that a day costs what changed in it and one wallet is read alone. All is computed
-- again on the next request.
truncate accounting, accounting_day, accounting_result;
drop table accounting_day;
alter table accounting drop column state, add column days date[] not null default '{}';
comment on column accounting.days is 'Those after which the state is stored';

create table accounting_part (
  scope text not null references accounting on delete cascade,
  wallet text not null,
  part text not null,
  day date not null,
  value jsonb,
  primary key (scope, wallet, part, day)
);
create index accounting_part_day on accounting_part (scope, day);

create index history_adjustment_by_time on history_adjustment (wallet, block_time);
