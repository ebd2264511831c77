//! What the operating system keeps for the program, as words.

use super::threads::{read_snapshot, write_snapshot};
use super::words::{Reader, Writer};
use crate::descriptors::{Channel, Demand, Descriptors, End, Entry, File, Kind, Side};
use crate::kernel::{Action, Clock, Kernel};
use crate::thread::{Polled, Watched};

pub(super) fn write_kernel(writer: &mut Writer, kernel: &Kernel) {
    // Most programs ask for none of this.
    let is_untouched = kernel.descriptors == Descriptors::default()
        && kernel.actions.is_empty()
        && kernel.variables.is_empty()
        && kernel.clocks.is_empty();
    writer.flag(!is_untouched);
    if is_untouched {
        return;
    }
    let descriptors = &kernel.descriptors;
    writer.word(descriptors.table.len() as u64);
    for entry in &descriptors.table {
        write_file(writer, entry.map(|entry| entry.file));
        writer.flag(entry.is_some_and(|entry| entry.closes_on_exec));
    }
    writer.word(descriptors.channels.len() as u64);
    for channel in &descriptors.channels {
        write_channel(writer, channel.as_ref());
    }
    writer.word(kernel.actions.len() as u64);
    for (signal, action) in &kernel.actions {
        writer.word(u64::from(*signal));
        writer.value(&action.handler);
        writer.word(action.blocked);
        writer.word(u64::from(action.flags));
    }
    writer.word(kernel.variables.len() as u64);
    for is_there in &kernel.variables {
        writer.flag(*is_there);
    }
    writer.word(kernel.clocks.len() as u64);
    for (clock, (seconds, fraction)) in &kernel.clocks {
        let (kind, number) = match clock {
            Clock::Numbered(number) => (0, u64::from(*number)),
            Clock::OfThread(thread) => {
                writer.named.push(*thread);
                (1, *thread as u64)
            }
            Clock::Seconds => (2, 0),
            Clock::Microseconds => (3, 0),
            Clock::Process => (4, 0),
        };
        for word in [kind, number, *seconds, *fraction] {
            writer.word(word);
        }
    }
}

pub(super) fn read_kernel(reader: &mut Reader) -> Kernel {
    let mut kernel = Kernel::default();
    if !reader.flag() {
        return kernel;
    }
    kernel.descriptors.table.clear();
    for _ in 0..reader.number() {
        let (file, closes_on_exec) = (read_file(reader), reader.flag());
        kernel.descriptors.table.push(file.map(|file| Entry {
            file,
            closes_on_exec,
        }));
    }
    for _ in 0..reader.number() {
        let channel = read_channel(reader);
        kernel.descriptors.channels.push(channel);
    }
    for _ in 0..reader.number() {
        let signal = reader.small();
        let action = Action {
            handler: reader.value(),
            blocked: reader.word(),
            flags: reader.small(),
        };
        kernel.actions.insert(signal, action);
    }
    for _ in 0..reader.number() {
        let is_there = reader.flag();
        kernel.variables.push(is_there);
    }
    for _ in 0..reader.number() {
        let (kind, number) = (reader.word(), reader.word());
        let clock = match kind {
            0 => Clock::Numbered(number as u32),
            1 => Clock::OfThread(number as usize),
            2 => Clock::Seconds,
            3 => Clock::Microseconds,
            _ => Clock::Process,
        };
        kernel.clocks.insert(clock, (reader.word(), reader.word()));
    }
    kernel
}

fn write_channel(writer: &mut Writer, channel: Option<&Channel>) {
    let Some(channel) = channel else {
        return writer.word(0);
    };
    match channel.kind {
        Kind::Pipe => writer.word(1),
        Kind::Sockets => writer.word(2),
        Kind::Counter {
            value,
            is_semaphore,
        } => {
            writer.word(3 + u64::from(is_semaphore));
            writer.word(value);
        }
    }
    for side in &channel.sides {
        writer.flag(side.never_waits);
        writer.word(u64::from(side.calls));
        write_snapshot(writer, &side.queue);
    }
}

fn read_channel(reader: &mut Reader) -> Option<Channel> {
    let kind = match reader.word() {
        0 => return None,
        1 => Kind::Pipe,
        2 => Kind::Sockets,
        number => Kind::Counter {
            value: reader.word(),
            is_semaphore: number == 4,
        },
    };
    let mut side = || Side {
        never_waits: reader.flag(),
        calls: reader.small(),
        queue: read_snapshot(reader),
    };
    let sides = [side(), side()];
    Some(Channel { kind, sides })
}

fn write_end(writer: &mut Writer, end: End) {
    writer.word(2 * end.channel as u64 + end.side as u64);
}

fn read_end(reader: &mut Reader) -> End {
    let number = reader.number();
    End {
        channel: number / 2,
        side: number % 2,
    }
}

pub(super) fn write_file(writer: &mut Writer, file: Option<File>) {
    match file {
        None => writer.word(0),
        Some(File::Outside) => writer.word(1),
        Some(File::End(end)) => {
            writer.word(2);
            write_end(writer, end);
        }
    }
}

pub(super) fn read_file(reader: &mut Reader) -> Option<File> {
    match reader.word() {
        0 => None,
        1 => Some(File::Outside),
        _ => Some(File::End(read_end(reader))),
    }
}

pub(super) fn write_watched(writer: &mut Writer, watched: &[Watched]) {
    writer.word(watched.len() as u64);
    for one in watched {
        match one.what {
            Polled::Nothing => writer.word(0),
            Polled::Bad => writer.word(1),
            Polled::End(end) => {
                writer.word(2);
                write_end(writer, end);
            }
        }
        writer.word(u64::from(one.events));
    }
}

pub(super) fn read_watched(reader: &mut Reader) -> Vec<Watched> {
    let count = reader.number();
    let mut one = || Watched {
        what: match reader.word() {
            0 => Polled::Nothing,
            1 => Polled::Bad,
            _ => Polled::End(read_end(reader)),
        },
        events: reader.word() as u16,
    };
    (0..count).map(|_| one()).collect()
}

pub(super) fn write_demands(writer: &mut Writer, demands: &[Demand]) {
    writer.word(demands.len() as u64);
    for demand in demands {
        let (kind, end, number) = match demand {
            Demand::Ready { end, events } => (0, end, u64::from(*events)),
            Demand::Room { end, amount } => (1, end, *amount),
        };
        writer.word(kind);
        write_end(writer, *end);
        writer.word(number);
    }
}

pub(super) fn read_demands(reader: &mut Reader) -> Vec<Demand> {
    let count = reader.number();
    let mut demand = || {
        let (kind, end, number) = (reader.word(), read_end(reader), reader.word());
        match kind {
            0 => Demand::Ready {
                end,
                events: number as u16,
            },
            _ => Demand::Room {
                end,
                amount: number,
            },
        }
    };
    (0..count).map(|_| demand()).collect()
}
