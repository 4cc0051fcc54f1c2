-- `next`: first day that is not computed yet; null: nothing is left. `leased_until`: a run is in progress.
alter table accounting add column next date, add column leased_until timestamptz;
