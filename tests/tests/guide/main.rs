//! Guided runs go where the guide says, and are ordinary runs.
//!
//! Small programs are guided to places that can be worked out by hand: along
//! stretches in `stretches`, to parts of executions in `executions`, with inputs
//! in `inputs`. Whatever comes out of a guided run is repeated from its schedule.
//! Beyond that, runs of the explorer's test programs are turned into guides and
//! must come out as they went in, in `along`.

mod along;
mod executions;
mod inputs;
mod stretches;
mod subject;
