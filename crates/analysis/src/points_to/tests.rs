//! The solver on constraints written by hand, and programs that no compiler of C
//! leads to. Programs in C are tested where they can be compiled, in the
//! integration tests.

use super::cells::Offsets;
use super::solver::{MOST_CELLS, NodeId, ObjectIndex, Solver};
use super::*;
use ir::{Block, Body, Function, Inst, Param, Phi, Target as Machine, Terminator, Type, ValueId};

fn exactly(start: i64) -> Offsets {
    Offsets::exactly(start)
}

/// A node that points to the given places.
fn pointer(solver: &mut Solver, targets: &[(ObjectIndex, Offsets)]) -> NodeId {
    let node = solver.node();
    for (object, at) in targets {
        solver.add(node, *object, *at);
    }
    node
}

fn solved(solver: &mut Solver, node: NodeId) -> Vec<(ObjectIndex, Offsets)> {
    assert!(solver.solve().is_empty());
    let mut found: Vec<_> = solver
        .set(node)
        .iter()
        .map(|id| (solver.location(*id).object, solver.location(*id).at))
        .collect();
    found.sort();
    found
}

#[test]
fn copies_go_around_cycles() {
    let mut solver = Solver::new();
    let (a, b) = (solver.object(), solver.object());
    let nodes: Vec<NodeId> = (0..5).map(|_| solver.node()).collect();
    for (index, node) in nodes.iter().enumerate() {
        solver.copy(*node, nodes[(index + 1) % nodes.len()]);
    }
    solver.add(nodes[0], a, exactly(0));
    assert_eq!(solved(&mut solver, nodes[4]), [(a, exactly(0))]);
    // What comes later reaches all as well.
    solver.add(nodes[3], b, exactly(4));
    let after = solver.node();
    solver.copy(nodes[1], after);
    assert_eq!(
        solved(&mut solver, after),
        [(a, exactly(0)), (b, exactly(4))]
    );
}

#[test]
fn stores_meet_loads_of_the_same_bytes() {
    let mut solver = Solver::new();
    let (memory, one, two) = (solver.object(), solver.object(), solver.object());
    let base = pointer(&mut solver, &[(memory, exactly(0))]);
    let (to_one, to_two) = (
        pointer(&mut solver, &[(one, exactly(0))]),
        pointer(&mut solver, &[(two, exactly(8))]),
    );
    solver.store(base, 0, 8, to_one);
    solver.store(base, 8, 8, to_two);
    let loads: Vec<NodeId> = [(0, 8), (8, 8), (4, 8), (16, 8), (7, 1)]
        .iter()
        .map(|(at, bytes)| {
            let node = solver.node();
            solver.load(base, *at, *bytes, node);
            node
        })
        .collect();
    let (first, second) = ((one, exactly(0)), (two, exactly(8)));
    assert_eq!(solved(&mut solver, loads[0]), [first]);
    assert_eq!(solved(&mut solver, loads[1]), [second]);
    assert_eq!(solved(&mut solver, loads[2]), [first, second]);
    assert_eq!(solved(&mut solver, loads[3]), []);
    assert_eq!(solved(&mut solver, loads[4]), [first]);
}

#[test]
fn pointers_that_move_on_get_a_stride() {
    let mut solver = Solver::new();
    let array = solver.object();
    let cursor = pointer(&mut solver, &[(array, exactly(0))]);
    solver.shift(cursor, 24, 0, cursor);
    let member = solver.node();
    solver.shift(cursor, 8, 0, member);
    let found = solved(&mut solver, member);
    assert!(found.contains(&(array, exactly(8))));
    assert!(found.contains(&(array, Offsets::strided(8, 24))));
    assert!(
        found
            .iter()
            .all(|(_, at)| Offsets::strided(8, 24).covers(*at))
    );
}

#[test]
fn copies_of_memory_keep_distances() {
    let mut solver = Solver::new();
    let (from, to, a, b) = (
        solver.object(),
        solver.object(),
        solver.object(),
        solver.object(),
    );
    let source = pointer(&mut solver, &[(from, exactly(8))]);
    let target = pointer(&mut solver, &[(to, exactly(100))]);
    solver.copy_memory(source, target, Some(16));
    // One in the range, one behind it, both stored later.
    let (to_a, to_b) = (
        pointer(&mut solver, &[(a, exactly(0))]),
        pointer(&mut solver, &[(b, exactly(0))]),
    );
    solver.store(source, 8, 8, to_a);
    solver.store(source, 16, 8, to_b);
    let nothing = solver.node();
    assert_eq!(solved(&mut solver, nothing), []);
    let content = |at| {
        let found = solver.content(to, exactly(at), 8);
        found
            .iter()
            .map(|id| solver.location(*id).object)
            .collect::<Vec<_>>()
    };
    assert_eq!(content(108), [a]);
    assert_eq!(content(100), []);
    assert_eq!(content(116), []);
}

#[test]
fn objects_with_too_many_members_have_one() {
    let mut solver = Solver::new();
    let (memory, a, b) = (solver.object(), solver.object(), solver.object());
    let base = pointer(&mut solver, &[(memory, exactly(0))]);
    let to_a = pointer(&mut solver, &[(a, exactly(0))]);
    let to_b = pointer(&mut solver, &[(b, exactly(0))]);
    let early = solver.node();
    solver.load(base, 8, 8, early);
    for index in 0..=MOST_CELLS as i64 {
        solver.store(base, 8 * index, 8, if index == 0 { to_a } else { to_b });
    }
    let late = solver.node();
    solver.load(base, 80, 8, late);
    let both = [(a, exactly(0)), (b, exactly(0))];
    assert_eq!(solved(&mut solver, early), both);
    assert_eq!(solved(&mut solver, late), both);
}

#[test]
fn watches_see_each_location_once() {
    let mut solver = Solver::new();
    let (a, b) = (solver.object(), solver.object());
    let node = pointer(&mut solver, &[(a, exactly(0)), (b, exactly(0))]);
    solver.watch(node, None, 7);
    solver.watch(node, Some(b), 8);
    let seen: Vec<(u32, ObjectIndex)> = solver
        .solve()
        .iter()
        .map(|sighting| (sighting.tag, solver.location(sighting.location).object))
        .collect();
    assert_eq!(seen, [(7, a), (7, b), (8, b)]);
    assert!(solver.solve().is_empty());
}

/// A function with one block.
fn function(name: &str, params: &[Type], values: &[Type], ops: Vec<(Op, Option<u32>)>) -> Function {
    let mut body = Body::default();
    for ty in params.iter().chain(values) {
        body.values.push(ty.clone());
    }
    let insts = ops
        .into_iter()
        .map(|(op, result)| {
            body.insts.push(Inst {
                op,
                result: result.map(ValueId::from_u32),
                location: None,
            })
        })
        .collect();
    body.blocks.push(Block {
        phis: Vec::new(),
        insts,
        terminator: Terminator::Return(None),
        terminator_location: None,
    });
    Function {
        symbol: name.to_owned(),
        name: name.to_owned(),
        location: None,
        params: params
            .iter()
            .map(|ty| Param {
                ty: ty.clone(),
                by_value: None,
            })
            .collect(),
        is_variadic: false,
        result: None,
        body: Some(body),
    }
}

fn local() -> Op {
    Op::Local {
        variable: None,
        bytes: 8,
        align: 8,
        count: None,
    }
}

fn value(index: u32) -> Operand {
    Operand::Value(ValueId::from_u32(index))
}

#[test]
fn phis_selects_and_fields_of_tuples() {
    let mut program = Program::new(Machine { pointer_bytes: 8 });
    let pair = Type::Tuple(std::sync::Arc::new(ir::Tuple {
        fields: vec![(0, Type::Pointer), (8, Type::Pointer)],
        size: 16,
        align: 8,
    }));
    let empty = Operand::Const(program.intern(Constant::Undefined(pair.clone())));
    let truth = Operand::Const(program.intern(Constant::Int { bits: 1, value: 1 }));
    let pointers = vec![Type::Pointer; 4];
    let mut types = pointers.clone();
    types.extend([pair.clone(), pair, Type::Pointer]);
    let mut main = function(
        "main",
        &[],
        &types,
        vec![
            (local(), Some(0)),
            (local(), Some(1)),
            (
                Op::Select {
                    condition: truth,
                    then: value(0),
                    otherwise: value(1),
                },
                Some(3),
            ),
            (
                Op::Insert {
                    tuple: empty,
                    field: value(0),
                    path: vec![0],
                },
                Some(4),
            ),
            (
                Op::Insert {
                    tuple: value(4),
                    field: value(1),
                    path: vec![1],
                },
                Some(5),
            ),
            (
                Op::Extract {
                    tuple: value(5),
                    path: vec![1],
                },
                Some(6),
            ),
        ],
    );
    let body = main.body.as_mut().expect("a body");
    body.blocks[Body::ENTRY].phis.push(Phi {
        result: ValueId::from_u32(2),
        incoming: vec![(Body::ENTRY, value(0))],
    });
    program.main = program.functions.push(main);
    let points_to = PointsTo::of(&program);
    let found = |index: u32| points_to.targets(program.main, value(index)).targets.len();
    assert_eq!((found(2), found(3), found(4), found(5)), (1, 2, 1, 2));
    let second = points_to.targets(program.main, value(1));
    assert_eq!(points_to.targets(program.main, value(6)), second);
    assert_eq!(
        second.single().map(|target| target.offsets),
        Some(exactly(0))
    );
}
