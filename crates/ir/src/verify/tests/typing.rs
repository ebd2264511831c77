//! Broken operations and terminators.

use super::*;

fn store(address: Operand, ordering: Option<Ordering>) -> Op {
    Op::Store {
        address,
        value: int_param(),
        ordering,
        is_volatile: false,
    }
}

#[test]
fn results_are_there_when_they_have_to_be() {
    rejects_op("it has no result", load(pointer_param(), None), None);
    rejects_op(
        "it cannot have a result",
        store(pointer_param(), None),
        Some(INT),
    );
    rejects_op(
        "it cannot have a result",
        Op::VaStart {
            list: pointer_param(),
        },
        Some(INT),
    );
}

#[test]
fn accesses() {
    accepts_op(load(pointer_param(), Some(Ordering::Acquire)), Some(INT));
    rejects_op("the address is i32", load(int_param(), None), Some(INT));
    rejects_op(
        "cannot release",
        load(pointer_param(), Some(Ordering::Release)),
        Some(INT),
    );
    accepts_op(store(pointer_param(), Some(Ordering::Release)), None);
    rejects_op("the address is i32", store(int_param(), None), None);
    rejects_op(
        "cannot acquire",
        store(pointer_param(), Some(Ordering::Acquire)),
        None,
    );
    let fence = |ordering| Op::Fence { ordering };
    accepts_op(fence(Ordering::SequentiallyConsistent), None);
    rejects_op("orders nothing", fence(Ordering::Relaxed), None);
}

#[test]
fn read_modify_write() {
    let rmw = |op, address, value| Op::Rmw {
        op,
        address,
        value,
        ordering: Ordering::Relaxed,
    };
    accepts_op(rmw(RmwOp::Add, pointer_param(), int_param()), Some(INT));
    accepts_op(
        rmw(RmwOp::Exchange, pointer_param(), pointer_param()),
        Some(Type::Pointer),
    );
    rejects_op(
        "the address is i32",
        rmw(RmwOp::Add, int_param(), int_param()),
        Some(INT),
    );
    rejects_op(
        "the value is ptr",
        rmw(RmwOp::Add, pointer_param(), pointer_param()),
        Some(Type::Pointer),
    );
    rejects_op(
        "the value is i32",
        rmw(RmwOp::FloatAdd, pointer_param(), int_param()),
        Some(INT),
    );
    rejects_op(
        "the result is i8",
        rmw(RmwOp::Add, pointer_param(), int_param()),
        Some(Type::Int(8)),
    );
}

#[test]
fn compare_exchange() {
    let exchange = |expected, replacement, failure| Op::CompareExchange {
        address: pointer_param(),
        expected,
        replacement,
        success: Ordering::AcquireRelease,
        failure,
        is_weak: false,
    };
    let acquire = Ordering::Acquire;
    accepts_op(exchange(int_param(), int_param(), acquire), Some(pair()));
    rejects_op(
        "the replacement is ptr",
        exchange(int_param(), pointer_param(), acquire),
        Some(pair()),
    );
    rejects_op(
        "a pair of ptr and i1",
        exchange(pointer_param(), pointer_param(), acquire),
        Some(pair()),
    );
    rejects_op(
        "a pair of i32 and i1",
        exchange(int_param(), int_param(), acquire),
        Some(INT),
    );
    let release = Ordering::Release;
    rejects_op(
        "cannot release",
        exchange(int_param(), int_param(), release),
        Some(pair()),
    );
}

#[test]
fn locals_and_offsets() {
    let local = |align, count| Op::Local {
        variable: None,
        bytes: 4,
        align,
        count,
    };
    accepts_op(local(4, Some(int_param())), Some(Type::Pointer));
    rejects_op("an alignment of 5", local(5, None), Some(Type::Pointer));
    rejects_op(
        "the count is ptr",
        local(4, Some(pointer_param())),
        Some(Type::Pointer),
    );
    rejects_op("the result is i32", local(4, None), Some(INT));
    let offset = |base, index| Op::Offset {
        base,
        bytes: 4,
        terms: vec![(index, 8)],
        record: None,
    };
    accepts_op(offset(pointer_param(), int_param()), Some(Type::Pointer));
    rejects_op(
        "the base is i32",
        offset(int_param(), int_param()),
        Some(Type::Pointer),
    );
    rejects_op(
        "an index is ptr",
        offset(pointer_param(), pointer_param()),
        Some(Type::Pointer),
    );
    rejects_op(
        "the result is i32",
        offset(pointer_param(), int_param()),
        Some(INT),
    );
    rejects_op("the result is i32", Op::SaveStack, Some(INT));
    rejects_op(
        "the saved stack is i32",
        Op::RestoreStack { saved: int_param() },
        None,
    );
}

#[test]
fn arithmetic() {
    let binary = |op, left, right, no_signed_wrap| Op::Binary {
        op,
        left,
        right,
        no_signed_wrap,
    };
    accepts_op(
        binary(BinaryOp::Add, int_param(), int_param(), true),
        Some(INT),
    );
    let pointers = binary(BinaryOp::Add, pointer_param(), pointer_param(), false);
    rejects_op("the left operand is ptr", pointers, Some(Type::Pointer));
    let mixed = binary(BinaryOp::Add, int_param(), pointer_param(), false);
    rejects_op("the right operand is ptr", mixed, Some(INT));
    let narrow = binary(BinaryOp::Add, int_param(), int_param(), false);
    rejects_op("the result is i8", narrow, Some(Type::Int(8)));
    let wrapping = binary(BinaryOp::Xor, int_param(), int_param(), true);
    rejects_op("never wraps", wrapping, Some(INT));
    let negate = Op::FloatNegate { value: int_param() };
    rejects_op("not a float", negate, Some(INT));
    rejects("the result is float instead of double", |s| {
        let one = s.constant(Constant::Double(1f64.to_bits()));
        let op = FloatOp::Add;
        s.inst(
            Op::FloatBinary {
                op,
                left: one,
                right: one,
            },
            Some(Type::Float),
        );
    });
    rejects("an operand is float instead of double", |s| {
        let left = s.constant(Constant::Double(0));
        let right = s.constant(Constant::Float(0));
        let op = FloatOp::Add;
        s.inst(Op::FloatBinary { op, left, right }, Some(Type::Double));
    });
}

#[test]
fn comparisons_and_choices() {
    let compare = |left, right| Op::Compare {
        op: Comparison::Equal,
        left,
        right,
    };
    accepts_op(compare(pointer_param(), pointer_param()), Some(Type::BOOL));
    rejects_op(
        "the right operand is i32",
        compare(pointer_param(), int_param()),
        Some(Type::BOOL),
    );
    rejects_op(
        "the result is i32",
        compare(int_param(), int_param()),
        Some(INT),
    );
    rejects("have no order", |s| {
        let zero = s.constant(Constant::Float(0));
        s.inst(compare(zero, zero), Some(Type::BOOL));
    });
    let float_compare = Op::FloatCompare {
        op: FloatComparison {
            less: true,
            equal: false,
            greater: false,
            unordered: false,
        },
        left: int_param(),
        right: int_param(),
    };
    rejects_op("not a float", float_compare, Some(Type::BOOL));
    let select = Op::Select {
        condition: int_param(),
        then: int_param(),
        otherwise: int_param(),
    };
    rejects_op("the condition is i32", select, Some(INT));
    rejects("the second choice is ptr", |s| {
        let condition = s.constant(Constant::Int { bits: 1, value: 0 });
        let (then, otherwise) = (int_param(), pointer_param());
        s.inst(
            Op::Select {
                condition,
                then,
                otherwise,
            },
            Some(INT),
        );
    });
}

#[test]
fn casts() {
    let cast = |op, value| Op::Cast { op, value };
    accepts_op(cast(Cast::Truncate, int_param()), Some(Type::Int(8)));
    accepts_op(cast(Cast::SignExtend, int_param()), Some(Type::Int(64)));
    accepts_op(cast(Cast::SignedToFloat, int_param()), Some(Type::Float));
    accepts_op(cast(Cast::PointerToInt, pointer_param()), Some(INT));
    accepts_op(cast(Cast::Reinterpret, int_param()), Some(Type::Float));
    for (op, value, result) in [
        (Cast::Truncate, int_param(), Type::Int(32)),
        (Cast::ZeroExtend, int_param(), Type::Int(32)),
        (Cast::FloatToSigned, int_param(), Type::Int(32)),
        (Cast::SignedToFloat, pointer_param(), Type::Float),
        (Cast::FloatResize, int_param(), Type::Double),
        (Cast::PointerToInt, int_param(), Type::Int(64)),
        (Cast::IntToPointer, pointer_param(), Type::Pointer),
        (Cast::Reinterpret, int_param(), Type::Double),
        (Cast::Reinterpret, int_param(), Type::Int(31)),
    ] {
        rejects_op("not possible from", cast(op, value), Some(result));
    }
}

#[test]
fn tuples() {
    let with_tuple = |sample: &mut Sample| {
        let tuple = sample.inst(Op::Any, Some(pair())).unwrap();
        Operand::Value(tuple)
    };
    let extract = |tuple, path| Op::Extract { tuple, path };
    rejects("the result is i32 instead of i1", |s| {
        let tuple = with_tuple(s);
        s.inst(extract(tuple, vec![1]), Some(INT));
    });
    rejects("has no field 2", |s| {
        let tuple = with_tuple(s);
        s.inst(extract(tuple, vec![2]), Some(INT));
    });
    rejects("i32 has no field 0", |s| {
        let tuple = with_tuple(s);
        s.inst(extract(tuple, vec![0, 0]), Some(INT));
    });
    rejects("the path is empty", |s| {
        let tuple = with_tuple(s);
        s.inst(extract(tuple, Vec::new()), Some(pair()));
    });
    rejects("the field is i32 instead of i1", |s| {
        let (tuple, field, path) = (with_tuple(s), int_param(), vec![1]);
        s.inst(Op::Insert { tuple, field, path }, Some(pair()));
    });
    rejects("the result is i32", |s| {
        let (tuple, field, path) = (with_tuple(s), int_param(), vec![0]);
        s.inst(Op::Insert { tuple, field, path }, Some(INT));
    });
}

#[test]
fn calls() {
    let call = |target, args: Vec<Operand>, by_value| Op::Call {
        callee: Callee::Indirect(target),
        args,
        by_value,
    };
    accepts_op(
        call(pointer_param(), vec![int_param()], vec![None]),
        Some(INT),
    );
    rejects_op("the callee is i32", call(int_param(), vec![], vec![]), None);
    rejects_op(
        "1 arguments, but 0 marks",
        call(pointer_param(), vec![int_param()], vec![]),
        None,
    );
    let by_value = call(pointer_param(), vec![int_param()], vec![Some(4)]);
    rejects_op("passed by value is i32", by_value, None);
    // Wrong numbers of arguments are legal C as long as nobody calls.
    let too_few = Op::Call {
        callee: Callee::Direct(FunctionId::from_u32(0)),
        args: Vec::new(),
        by_value: Vec::new(),
    };
    accepts_op(too_few, None);
}

#[test]
fn builtins() {
    let builtin = |op, args| Op::Builtin { op, args };
    accepts_op(builtin(Builtin::CountOnes, vec![int_param()]), Some(INT));
    let overflow = Builtin::SignedAddOverflow;
    accepts_op(
        builtin(overflow, vec![int_param(), int_param()]),
        Some(pair()),
    );
    rejects_op(
        "a pair of",
        builtin(overflow, vec![int_param(), int_param()]),
        Some(INT),
    );
    let one = builtin(Builtin::SignedMax, vec![int_param()]);
    rejects_op("1 arguments instead of 2", one, Some(INT));
    let pointer = builtin(Builtin::CountOnes, vec![pointer_param()]);
    rejects_op("not an integer", pointer, Some(Type::Pointer));
    let mixed = builtin(Builtin::SignedMax, vec![int_param(), pointer_param()]);
    rejects_op("an operand is ptr", mixed, Some(INT));
    let root = builtin(Builtin::FloatSqrt, vec![int_param()]);
    rejects_op("not a float", root, Some(INT));
    let class = builtin(Builtin::IsFloatClass, vec![int_param(), int_param()]);
    rejects_op("not a float", class, Some(Type::BOOL));
    rejects("1 bits are no whole bytes", |s| {
        let bit = s.constant(Constant::Int { bits: 1, value: 0 });
        s.inst(builtin(Builtin::ByteSwap, vec![bit]), Some(Type::BOOL));
    });
}

#[test]
fn variadic_arguments() {
    accepts_op(
        Op::VaStart {
            list: pointer_param(),
        },
        None,
    );
    rejects_op("the list is i32", Op::VaStart { list: int_param() }, None);
    let (to, from) = (pointer_param(), int_param());
    rejects_op("the list is i32", Op::VaCopy { to, from }, None);
    rejects("the function is not variadic", |s| {
        s.main().is_variadic = false;
        s.inst(
            Op::VaStart {
                list: pointer_param(),
            },
            None,
        );
    });
}

#[test]
fn terminators() {
    #[track_caller]
    fn rejects_end(expected: &str, terminator: Terminator) {
        rejects(expected, |sample| {
            sample.block(Terminator::Unreachable);
            sample.body.blocks[Body::ENTRY].terminator = terminator;
        });
    }
    let branch = Terminator::Branch {
        condition: int_param(),
        then: block(1),
        otherwise: block(1),
    };
    rejects_end("end of block0: the condition is i32", branch);
    let switch = |value, cases| Terminator::Switch {
        value,
        cases,
        default: block(1),
    };
    rejects_end("the value is ptr", switch(pointer_param(), vec![]));
    let large = switch(int_param(), vec![(1 << 32, block(1))]);
    rejects_end("has more than 32 bits", large);
    let twice = switch(int_param(), vec![(7, block(1)), (7, block(1))]);
    rejects_end("case 7 is there twice", twice);
    let jump = Terminator::IndirectJump {
        address: int_param(),
        targets: vec![block(1)],
    };
    rejects_end("the address is i32", jump);
    let pointer = Terminator::Return(Some(pointer_param()));
    rejects_end("the returned value is ptr", pointer);
    rejects_end("no i32 is returned", Terminator::Return(None));
    rejects("from a void function", |s| s.main().result = None);
}
