//! The words that stand for operations in the text of a program.

use crate::body::{BinaryOp, Builtin, Cast, Comparison, FloatComparison, FloatOp, Ordering, RmwOp};
use std::fmt::{self, Display, Formatter};

/// Gives a plain enum one word per variant. A variant without a word does not
/// compile.
macro_rules! words {
    ($($name:ident { $($variant:ident $word:literal,)+ })+) => {
        $(impl Display for $name {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $($name::$variant => $word,)+
                })
            }
        })+
    };
}

words! {
    Ordering {
        Unordered "unordered",
        Relaxed "relaxed",
        Acquire "acquire",
        Release "release",
        AcquireRelease "acq_rel",
        SequentiallyConsistent "seq_cst",
    }
    RmwOp {
        Exchange "exchange",
        Add "add",
        Sub "sub",
        And "and",
        Nand "nand",
        Or "or",
        Xor "xor",
        SignedMax "signed_max",
        SignedMin "signed_min",
        UnsignedMax "unsigned_max",
        UnsignedMin "unsigned_min",
        FloatAdd "float_add",
        FloatSub "float_sub",
    }
    BinaryOp {
        Add "add",
        Sub "sub",
        Mul "mul",
        UnsignedDiv "unsigned_div",
        SignedDiv "signed_div",
        UnsignedRem "unsigned_rem",
        SignedRem "signed_rem",
        ShiftLeft "shift_left",
        LogicalShiftRight "logical_shift_right",
        ArithmeticShiftRight "arithmetic_shift_right",
        And "and",
        Or "or",
        Xor "xor",
    }
    FloatOp {
        Add "float_add",
        Sub "float_sub",
        Mul "float_mul",
        Div "float_div",
        Rem "float_rem",
    }
    Comparison {
        Equal "equal",
        NotEqual "not_equal",
        UnsignedLess "unsigned_less",
        UnsignedLessEqual "unsigned_less_equal",
        UnsignedGreater "unsigned_greater",
        UnsignedGreaterEqual "unsigned_greater_equal",
        SignedLess "signed_less",
        SignedLessEqual "signed_less_equal",
        SignedGreater "signed_greater",
        SignedGreaterEqual "signed_greater_equal",
    }
    Cast {
        Truncate "truncate",
        ZeroExtend "zero_extend",
        SignExtend "sign_extend",
        FloatToSigned "float_to_signed",
        FloatToUnsigned "float_to_unsigned",
        SignedToFloat "signed_to_float",
        UnsignedToFloat "unsigned_to_float",
        FloatResize "float_resize",
        PointerToInt "pointer_to_int",
        IntToPointer "int_to_pointer",
        Reinterpret "reinterpret",
    }
    Builtin {
        CountOnes "count_ones",
        CountLeadingZeros "count_leading_zeros",
        CountTrailingZeros "count_trailing_zeros",
        ByteSwap "byte_swap",
        BitReverse "bit_reverse",
        Abs "abs",
        SignedMax "signed_max",
        SignedMin "signed_min",
        UnsignedMax "unsigned_max",
        UnsignedMin "unsigned_min",
        FunnelShiftLeft "funnel_shift_left",
        FunnelShiftRight "funnel_shift_right",
        SignedAddOverflow "signed_add_overflow",
        SignedSubOverflow "signed_sub_overflow",
        SignedMulOverflow "signed_mul_overflow",
        UnsignedAddOverflow "unsigned_add_overflow",
        UnsignedSubOverflow "unsigned_sub_overflow",
        UnsignedMulOverflow "unsigned_mul_overflow",
        SignedAddSaturate "signed_add_saturate",
        SignedSubSaturate "signed_sub_saturate",
        UnsignedAddSaturate "unsigned_add_saturate",
        UnsignedSubSaturate "unsigned_sub_saturate",
        FloatAbs "float_abs",
        FloatSqrt "float_sqrt",
        FloatFloor "float_floor",
        FloatCeil "float_ceil",
        FloatTruncate "float_truncate",
        FloatRound "float_round",
        FloatRint "float_rint",
        FloatCopySign "float_copy_sign",
        FloatMin "float_min",
        FloatMax "float_max",
        FloatFma "float_fma",
        FloatMulAdd "float_mul_add",
        IsFloatClass "is_float_class",
        ExtendedAdd "extended_add",
        ExtendedSub "extended_sub",
        ExtendedMul "extended_mul",
        ExtendedDiv "extended_div",
        ExtendedOrder "extended_order",
        ExtendedFromFloat "extended_from_float",
        ExtendedToSingle "extended_to_single",
        ExtendedToDouble "extended_to_double",
        ExtendedFromSigned "extended_from_signed",
        ExtendedFromUnsigned "extended_from_unsigned",
        ExtendedToSigned "extended_to_signed",
        ExtendedToUnsigned "extended_to_unsigned",
    }
}

/// The outcomes that make the comparison true, for instance `float_less|equal`.
impl Display for FloatComparison {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let outcomes = [
            (self.less, "less"),
            (self.equal, "equal"),
            (self.greater, "greater"),
            (self.unordered, "unordered"),
        ];
        let mut separator = "float_";
        for (_, word) in outcomes.iter().filter(|(is_true, _)| *is_true) {
            write!(f, "{separator}{word}")?;
            separator = "|";
        }
        if separator == "float_" {
            write!(f, "float_never")?;
        }
        Ok(())
    }
}
