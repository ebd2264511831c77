//! Where a program depends on what is outside of it and is not modelled: signals
//! that may arrive, the variables of its environment, and where threads end that are
//! cancelled.

use crate::meaning::Meaning;
use crate::{PointsTo, Site};
use ir::{Body, Cast, Constant, Initial, Op, Operand, Program};
use library::{Cancellation, Function, Output, Process, Signals};
use std::collections::BTreeSet;

/// `SIG_IGN` as a number.
const IGNORED: u128 = 1;

/// The first call that installs a handler for a signal, in a function that may be
/// called.
pub fn first_handler(program: &Program) -> Option<Site> {
    first_call(program, |body, function, args| match function {
        Function::Signals(Signals::Handler | Signals::Action) => args
            .get(1)
            .is_some_and(|arg| is_handler(program, body, *arg)),
        _ => false,
    })
}

/// The first call that asks for a variable of the environment, likewise.
pub fn first_variable(program: &Program) -> Option<Site> {
    first_call(program, |_, function, _| {
        function == Function::Process(Process::GetEnv)
    })
}

/// The first call that asks for one that is not among [`variables`], likewise.
pub fn first_unnamed_variable(program: &Program) -> Option<Site> {
    let known = variables(program);
    first_call(program, |_, function, args| {
        let name = args.first();
        let name = name.and_then(|name| constant_text(program, *name));
        function == Function::Process(Process::GetEnv)
            && name.is_none_or(|name| !known.contains(&name))
    })
}

/// So many variables are told apart, at most.
const MOST_VARIABLES: usize = 16;

/// The names of variables of the environment that calls ask for, each once, in order.
pub fn variables(program: &Program) -> Vec<String> {
    let meaning = Meaning::of(program);
    let mut names = BTreeSet::new();
    let bodies = program.functions.values().filter_map(|f| f.body.as_ref());
    for inst in bodies.flat_map(|body| body.insts.values()) {
        if let Op::Call { callee, args, .. } = &inst.op
            && meaning.of_callee(callee) == Some(Function::Process(Process::GetEnv))
            && let Some(name) = args.first()
        {
            names.extend(constant_text(program, *name));
        }
    }
    names.into_iter().take(MOST_VARIABLES).collect()
}

/// A text in constant memory.
fn constant_text(program: &Program, operand: Operand) -> Option<String> {
    let Operand::Const(id) = operand else {
        return None;
    };
    let Constant::Global { global, offset } = program.constant(id) else {
        return None;
    };
    let data = &program.globals[*global];
    let Initial::Bytes { bytes, .. } = &data.initial else {
        return None;
    };
    let text = bytes.get(usize::try_from(*offset).ok()?..)?;
    let len = text.iter().position(|byte| *byte == 0)?;
    let text = String::from_utf8(text[..len].to_vec()).ok()?;
    data.is_constant.then_some(text)
}

/// The first call that prints, likewise, if threads are cancelled: whether they end
/// where they print is up to the system.
pub fn first_print_of_cancelled(program: &Program) -> Option<Site> {
    let cancels = |_: &Body, function: Function, _: &[Operand]| {
        function == Function::Cancellation(Cancellation::Cancel)
    };
    first_call(program, cancels)?;
    first_call(program, |_, function, _| match function {
        Function::Output(output) => !matches!(
            output,
            Output::Sprintf
                | Output::Snprintf
                | Output::Asprintf
                | Output::Vsprintf
                | Output::Vsnprintf
                | Output::Vasprintf
                | Output::SprintfChecked
                | Output::SnprintfChecked
                | Output::VsprintfChecked
                | Output::VsnprintfChecked
                | Output::SetBuffer
        ),
        _ => false,
    })
}

fn first_call(
    program: &Program,
    is_wanted: impl Fn(&Body, Function, &[Operand]) -> bool,
) -> Option<Site> {
    let meaning = Meaning::of(program);
    let sites = || {
        let functions = program.functions.iter();
        let bodies = functions.filter_map(|(id, function)| Some((id, function.body.as_ref()?)));
        bodies.flat_map(|(function, body)| {
            let calls = body.insts.iter().filter(|(_, inst)| match &inst.op {
                Op::Call { callee, args, .. } => meaning
                    .of_callee(callee)
                    .is_some_and(|callee| is_wanted(body, callee, args)),
                _ => false,
            });
            calls.map(move |(inst, _)| Site { function, inst })
        })
    };
    // Most programs have none, and then nobody has to know what is called.
    sites().next()?;
    let points_to = PointsTo::of(program);
    sites().find(|site| points_to.is_reached(site.function))
}

/// Whether it may be more than `SIG_DFL` or `SIG_IGN`.
fn is_handler(program: &Program, body: &Body, operand: Operand) -> bool {
    match operand {
        Operand::Const(id) => *program.constant(id) != Constant::Null,
        Operand::Value(value) => !body.insts.values().any(|inst| {
            inst.result == Some(value)
                && matches!(inst.op, Op::Cast { op: Cast::IntToPointer, value: Operand::Const(id) }
                    if matches!(program.constant(id), Constant::Int { value: IGNORED, .. }))
        }),
    }
}
