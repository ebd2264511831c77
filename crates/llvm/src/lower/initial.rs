//! Initial values of global variables: bytes and relocations, and for what these
//! cannot express (the difference of two addresses, half an address) a function
//! that runs before everything else.

use super::constants::mask;
use super::{Attempt, Lowering, malformed, unsupported};
use crate::ast::{Constant, Type, TypeId, TypedConstant};
use crate::lex::unescape_bytes;
use ir::{GlobalId, Initial, Relocation};

/// Of all variables that are not simply zero, together.
const MAX_INITIAL_BYTES: u64 = 1 << 28;

/// An object being filled.
struct Image {
    global: GlobalId,
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
}

/// A scalar inside a variable whose value must be computed when the program starts.
pub(super) struct Computed<'a> {
    pub module: usize,
    pub global: GlobalId,
    pub offset: u64,
    pub ty: TypeId,
    pub value: Constant<'a>,
}

impl<'a> Lowering<'_, 'a> {
    pub(super) fn initial(
        &mut self,
        module: usize,
        ty: TypeId,
        global: GlobalId,
        constant: &Constant<'a>,
    ) -> Attempt<Initial> {
        let size = self.program.globals[global].bytes;
        if let Constant::Zero | Constant::Undefined | Constant::Null = constant {
            return Ok(Initial::Zero);
        }
        self.initial_bytes = self.initial_bytes.saturating_add(size);
        if self.initial_bytes > MAX_INITIAL_BYTES {
            return unsupported("more than 256 MiB of initial values");
        }
        let mut image = Image {
            global,
            bytes: vec![0; size as usize],
            relocations: Vec::new(),
        };
        self.write(&mut image, module, ty, 0, constant)?;
        if image.relocations.is_empty() && image.bytes.iter().all(|byte| *byte == 0) {
            return Ok(Initial::Zero);
        }
        Ok(Initial::Bytes {
            bytes: image.bytes,
            relocations: image.relocations,
        })
    }

    fn write(
        &mut self,
        image: &mut Image,
        module: usize,
        ty: TypeId,
        offset: u64,
        constant: &Constant<'a>,
    ) -> Attempt<()> {
        let types = &self.modules[module].types;
        if !self.is_plain_in_memory(module, ty) {
            return unsupported("a vector of bits in memory");
        }
        match constant {
            Constant::Zero | Constant::Undefined | Constant::Null => Ok(()),
            Constant::Bytes(raw) => {
                let Type::Array { count, .. } = types.get(types.resolve(ty)) else {
                    return malformed("an array for a string");
                };
                let bytes = unescape_bytes(raw);
                if bytes.len() as u64 != *count {
                    return malformed(format!("a string of {count} bytes"));
                }
                image.put(offset, &bytes)
            }
            Constant::Aggregate(elements) => {
                let count = match types.get(types.resolve(ty)) {
                    Type::Struct { fields, .. } => fields.len() as u64,
                    Type::Array { count, .. } | Type::Vector { count, .. } => *count,
                    _ => return malformed("a struct or array for these elements"),
                };
                if elements.len() as u64 != count {
                    return malformed(format!("{count} elements"));
                }
                for (index, element) in elements.iter().enumerate() {
                    self.write_element(image, module, ty, offset, index as u64, element)?;
                }
                Ok(())
            }
            Constant::Splat(element) => {
                let Type::Vector { count, .. } = types.get(types.resolve(ty)) else {
                    return malformed("a vector");
                };
                if *count > image.bytes.len() as u64 {
                    return malformed("elements that fit into the variable");
                }
                for index in 0..*count {
                    self.write_element(image, module, ty, offset, index, element)?;
                }
                Ok(())
            }
            _ => self.write_scalar(image, module, ty, offset, constant),
        }
    }

    fn write_element(
        &mut self,
        image: &mut Image,
        module: usize,
        ty: TypeId,
        offset: u64,
        index: u64,
        element: &TypedConstant<'a>,
    ) -> Attempt<()> {
        let types = &self.modules[module].types;
        if types.field(ty, index) != Some(element.ty) {
            return malformed("an element of the declared type");
        }
        let Some(inner) = self.layouts[module].field_offset(types, ty, index) else {
            return malformed("a type with a size");
        };
        self.write(image, module, element.ty, offset + inner, &element.value)
    }

    fn write_scalar(
        &mut self,
        image: &mut Image,
        module: usize,
        ty: TypeId,
        offset: u64,
        constant: &Constant<'a>,
    ) -> Attempt<()> {
        let types = &self.modules[module].types;
        if let (Type::ExoticFloat(name), Constant::Float(literal)) =
            (types.get(types.resolve(ty)), constant)
        {
            return match exotic_float_bytes(name, literal) {
                Some(bytes) => image.put(offset, &bytes),
                None => malformed("a floating-point number"),
            };
        }
        if let Type::Int(129..) = types.get(types.resolve(ty)) {
            return match constant {
                Constant::Int(value) if *value <= i128::MAX as u128 => {
                    image.put(offset, &value.to_le_bytes())
                }
                _ => unsupported("an integer of more than 128 bits"),
            };
        }
        let Some(bits) = self.scalar_bits(module, ty) else {
            return malformed("a constant of this type");
        };
        let scalar = match self.fold(module, ty, constant)? {
            Some(scalar) if scalar.symbol.is_none() || bits == self.pointer_bits() => scalar,
            _ => {
                image.check(offset, u64::from(bits.div_ceil(8)))?;
                if self.program.globals[image.global].is_thread_local {
                    return unsupported("a thread-local variable with a computed initial value");
                }
                self.computed.push(Computed {
                    module,
                    global: image.global,
                    offset,
                    ty,
                    value: constant.clone(),
                });
                return Ok(());
            }
        };
        let Some(symbol) = scalar.symbol else {
            let bytes = (scalar.value & mask(bits)).to_le_bytes();
            return image.put(offset, &bytes[..bits.div_ceil(8) as usize]);
        };
        let addend = super::constants::sign_extend(scalar.value, bits) as i64;
        image.check(offset, u64::from(bits / 8))?;
        image.relocations.push(Relocation {
            offset,
            symbol: self.pointee(symbol),
            addend,
        });
        Ok(())
    }
}

impl Image {
    fn check(&self, offset: u64, length: u64) -> Attempt<()> {
        match offset.checked_add(length) {
            Some(end) if end <= self.bytes.len() as u64 => Ok(()),
            _ => malformed("an initial value that fits into its variable"),
        }
    }

    fn put(&mut self, offset: u64, bytes: &[u8]) -> Attempt<()> {
        self.check(offset, bytes.len() as u64)?;
        let start = offset as usize;
        self.bytes[start..start + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }
}

/// The stored form of a floating-point format that is written digit by digit.
fn exotic_float_bytes(name: &str, literal: &str) -> Option<Vec<u8>> {
    let digits = literal.strip_prefix("0x")?;
    let (kind, digits) = digits.split_at_checked(1)?;
    let value = u128::from_str_radix(digits, 16).ok()?;
    let bytes = value.to_le_bytes();
    match (name, kind) {
        ("half", "H") | ("bfloat", "R") => Some(bytes[..2].to_vec()),
        ("x86_fp80", "K") => Some(bytes[..10].to_vec()),
        // The low half is written first.
        ("fp128", "L") | ("ppc_fp128", "M") => {
            let swapped = value.rotate_left(64);
            Some(swapped.to_le_bytes().to_vec())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::exotic_float_bytes;

    #[test]
    fn long_double_one() {
        let bytes = exotic_float_bytes("x86_fp80", "0xK3FFF8000000000000000");
        assert_eq!(bytes, Some(vec![0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f]));
        let bytes = exotic_float_bytes("fp128", "0xL00000000000000003FFF000000000000").unwrap();
        assert_eq!(&bytes[12..], &[0, 0, 0xff, 0x3f]);
        assert_eq!(exotic_float_bytes("half", "0xK12"), None);
    }
}
