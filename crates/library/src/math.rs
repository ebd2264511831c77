//! Mathematics on `float` and `double`.

use crate::Family;

/// Each operation serves `float` and `double`: the type of the result, or of the
/// first argument where the result is an integer, says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Math {
    Fabs,
    Floor,
    Ceil,
    Trunc,
    Round,
    Rint,
    LRound,
    LRint,
    Sqrt,
    Cbrt,
    Hypot,
    Fmod,
    Remainder,
    Fmin,
    Fmax,
    Fdim,
    Fma,
    CopySign,
    Pow,
    Exp,
    Exp2,
    ExpM1,
    Log,
    Log2,
    Log10,
    Log1P,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Ldexp,
    Frexp,
    Modf,
    IsNan,
    IsInf,
    IsFinite,
    SignBit,
    Classify,
}

pub(crate) const FAMILY: Family = family! {
    "Mathematics",
    "Results are computed concretely, rounded to the nearest value. `errno` and the floating-point \
     environment are not changed.",
    Math:
    Fabs ["fabs", "fabsf"] "Returns the absolute value.";
    Floor ["floor", "floorf"] "Rounds down to a whole number.";
    Ceil ["ceil", "ceilf"] "Rounds up to a whole number.";
    Trunc ["trunc", "truncf"] "Rounds towards zero to a whole number.";
    Round ["round", "roundf"] "Rounds to the nearest whole number, halves away from zero.";
    Rint ["rint", "rintf", "nearbyint", "nearbyintf"]
        "Rounds to the nearest whole number, halves to the even one.";
    LRound ["lround", "lroundf", "llround", "llroundf"]
        "Rounds to the nearest integer, halves away from zero.";
    LRint ["lrint", "lrintf", "llrint", "llrintf"]
        "Rounds to the nearest integer, halves to the even one.";
    Sqrt ["sqrt", "sqrtf"] "Returns the square root.";
    Cbrt ["cbrt", "cbrtf"] "Returns the cube root.";
    Hypot ["hypot", "hypotf"] "Returns the length of the hypotenuse.";
    Fmod ["fmod", "fmodf"] "Returns the remainder of a division rounded towards zero.";
    Remainder ["remainder", "remainderf"] "Returns the remainder of a division rounded to nearest.";
    Fmin ["fmin", "fminf"] "Returns the smaller number.";
    Fmax ["fmax", "fmaxf"] "Returns the greater number.";
    Fdim ["fdim", "fdimf"] "Returns the difference, or 0 if it is negative.";
    Fma ["fma", "fmaf"] "Returns a product plus a number, rounded once.";
    CopySign ["copysign", "copysignf"] "Returns one number with the sign of another.";
    Pow ["pow", "powf"] "Returns a power.";
    Exp ["exp", "expf"] "Returns a power of e.";
    Exp2 ["exp2", "exp2f"] "Returns a power of 2.";
    ExpM1 ["expm1", "expm1f"] "Returns a power of e, less 1.";
    Log ["log", "logf"] "Returns the natural logarithm.";
    Log2 ["log2", "log2f"] "Returns the logarithm to base 2.";
    Log10 ["log10", "log10f"] "Returns the logarithm to base 10.";
    Log1P ["log1p", "log1pf"] "Returns the natural logarithm of 1 plus the number.";
    Sin ["sin", "sinf"] "Returns the sine.";
    Cos ["cos", "cosf"] "Returns the cosine.";
    Tan ["tan", "tanf"] "Returns the tangent.";
    Asin ["asin", "asinf"] "Returns the inverse sine.";
    Acos ["acos", "acosf"] "Returns the inverse cosine.";
    Atan ["atan", "atanf"] "Returns the inverse tangent.";
    Atan2 ["atan2", "atan2f"] "Returns the angle of a point.";
    Sinh ["sinh", "sinhf"] "Returns the hyperbolic sine.";
    Cosh ["cosh", "coshf"] "Returns the hyperbolic cosine.";
    Tanh ["tanh", "tanhf"] "Returns the hyperbolic tangent.";
    Asinh ["asinh", "asinhf"] "Returns the inverse hyperbolic sine.";
    Acosh ["acosh", "acoshf"] "Returns the inverse hyperbolic cosine.";
    Atanh ["atanh", "atanhf"] "Returns the inverse hyperbolic tangent.";
    Ldexp ["ldexp", "ldexpf", "scalbn", "scalbnf"] "Multiplies by a power of 2.";
    Frexp ["frexp", "frexpf"] "Splits a number into a fraction and a power of 2.";
    Modf ["modf", "modff"] "Splits a number into its whole part and its fraction.";
    IsNan ["isnan", "isnanf", "__isnan", "__isnanf"] "Tells whether a number is not a number.";
    IsInf ["isinf", "isinff", "__isinf", "__isinff"]
        "Returns 1 for infinity, -1 for minus infinity and else 0.";
    IsFinite ["finite", "finitef", "__finite", "__finitef"] "Tells whether a number is finite.";
    SignBit ["__signbit", "__signbitf"] "Tells whether the sign is negative.";
    Classify ["__fpclassify", "__fpclassifyf"]
        "Returns 0 for not a number, 1 for infinite, 2 for zero, 3 for subnormal, 4 for normal.";
};
