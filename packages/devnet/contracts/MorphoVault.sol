// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626, IERC20, Math} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

struct MarketParams {
    address loanToken;
    address collateralToken;
    address oracle;
    address irm;
    uint256 lltv;
}

struct Market {
    uint128 totalSupplyAssets;
    uint128 totalSupplyShares;
    uint128 totalBorrowAssets;
    uint128 totalBorrowShares;
    uint128 lastUpdate;
    uint128 fee;
}

interface IBlue {
    function market(bytes32 id) external view returns (Market memory);
    function position(bytes32 id, address owner)
        external
        view
        returns (uint256 supplyShares, uint128 borrowShares, uint128 collateral);
    function idToMarketParams(bytes32 id) external view returns (MarketParams memory);
    function feeRecipient() external view returns (address);
    function accrueInterest(MarketParams memory params) external;
    function supply(MarketParams memory params, uint256 assets, uint256 shares, address onBehalf, bytes memory data)
        external
        returns (uint256, uint256);
    function withdraw(MarketParams memory params, uint256 assets, uint256 shares, address onBehalf, address receiver)
        external
        returns (uint256, uint256);
}

interface IIrm {
    function borrowRateView(MarketParams memory params, Market memory market) external view returns (uint256);
}

/// What an account has in a market of Morpho Blue at this second, without a change of the market.
library Expected {
    using Math for uint256;

    uint256 private constant WAD = 1e18;
    uint256 private constant VIRTUAL_SHARES = 1e6;

    function accrued(IBlue blue, bytes32 id) internal view returns (Market memory m, uint256 feeShares) {
        m = blue.market(id);
        MarketParams memory params = blue.idToMarketParams(id);
        uint256 elapsed = block.timestamp - m.lastUpdate;
        if (elapsed == 0 || m.totalBorrowAssets == 0 || params.irm == address(0)) return (m, 0);
        uint256 interest = (m.totalBorrowAssets * compounded(IIrm(params.irm).borrowRateView(params, m), elapsed)) / WAD;
        m.totalBorrowAssets += uint128(interest);
        m.totalSupplyAssets += uint128(interest);
        if (m.fee == 0) return (m, 0);
        uint256 feeAmount = (interest * m.fee) / WAD;
        feeShares =
            feeAmount.mulDiv(m.totalSupplyShares + VIRTUAL_SHARES, m.totalSupplyAssets - feeAmount + 1);
        m.totalSupplyShares += uint128(feeShares);
    }

    /// Three terms of e^(rate × elapsed) - 1.
    function compounded(uint256 rate, uint256 elapsed) private pure returns (uint256) {
        uint256 first = rate * elapsed;
        uint256 second = (first * first) / (2 * WAD);
        return first + second + (second * first) / (3 * WAD);
    }

    function supplied(IBlue blue, bytes32 id, address owner) internal view returns (uint256 assets, Market memory m) {
        (m,) = accrued(blue, id);
        (uint256 shares,,) = blue.position(id, owner);
        assets = shares.mulDiv(uint256(m.totalSupplyAssets) + 1, uint256(m.totalSupplyShares) + VIRTUAL_SHARES);
    }

    function liquidity(IBlue blue, Market memory m, address asset) internal view returns (uint256) {
        return Math.min(m.totalSupplyAssets - m.totalBorrowAssets, IERC20(asset).balanceOf(address(blue)));
    }
}

/**
 * A vault over markets of Morpho Blue, written from the behaviour of MetaMorpho V1.1: conversions over virtual shares,
 * fee shares minted at each accrual, losses that keep the share price and are counted as lost, deposits in the order of
 * one queue up to caps, withdrawals in the order of another. The owner does at once what takes a timelock there.
 */
contract MorphoVault is ERC4626 {
    using Math for uint256;

    error NotOwner();
    error AllCapsReached();
    error NotEnoughLiquidity();

    event UpdateLastTotalAssets(uint256 updatedTotalAssets);
    event UpdateLostAssets(uint256 newLostAssets);
    event AccrueInterest(uint256 newTotalAssets, uint256 feeShares);

    uint256 private constant WAD = 1e18;

    IBlue public immutable MORPHO;
    address public immutable owner;
    uint8 private immutable offset;

    uint256 public fee;
    address public feeRecipient;
    bytes32[] public supplyQueue;
    bytes32[] public withdrawQueue;
    mapping(bytes32 => uint256) public cap;
    uint256 public lastTotalAssets;
    uint256 public lostAssets;

    constructor(address owner_, IBlue blue, IERC20 asset_, string memory name_, string memory symbol_)
        ERC20(name_, symbol_)
        ERC4626(asset_)
    {
        (owner, MORPHO) = (owner_, blue);
        uint8 digits = ERC20(address(asset_)).decimals();
        offset = digits < 18 ? 18 - digits : 0;
        asset_.approve(address(blue), type(uint256).max);
    }

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner();
        _;
    }

    function setFee(uint256 newFee, address recipient) external onlyOwner {
        _accrue();
        (fee, feeRecipient) = (newFee, recipient);
    }

    /// A market that was in no queue is added to both.
    function setCap(bytes32 id, uint256 newCap) external onlyOwner {
        bool known = false;
        for (uint256 i = 0; i < withdrawQueue.length; i++) known = known || withdrawQueue[i] == id;
        if (!known) {
            withdrawQueue.push(id);
            supplyQueue.push(id);
            (uint256 had,) = Expected.supplied(MORPHO, id, address(this));
            _update(lastTotalAssets + had);
        }
        cap[id] = newCap;
    }

    function supplyQueueLength() external view returns (uint256) {
        return supplyQueue.length;
    }

    function withdrawQueueLength() external view returns (uint256) {
        return withdrawQueue.length;
    }

    function maxWithdraw(address account) public view override returns (uint256 assets) {
        (assets,,) = _maxWithdraw(account);
    }

    function maxRedeem(address account) public view override returns (uint256) {
        (uint256 assets, uint256 supply, uint256 total) = _maxWithdraw(account);
        return _toShares(assets, supply, total, Math.Rounding.Floor);
    }

    function deposit(uint256 assets, address receiver) public override returns (uint256 shares) {
        _accrue();
        shares = _toShares(assets, totalSupply(), lastTotalAssets, Math.Rounding.Floor);
        _deposit(_msgSender(), receiver, assets, shares);
    }

    function mint(uint256 shares, address receiver) public override returns (uint256 assets) {
        _accrue();
        assets = _toAssets(shares, totalSupply(), lastTotalAssets, Math.Rounding.Ceil);
        _deposit(_msgSender(), receiver, assets, shares);
    }

    function withdraw(uint256 assets, address receiver, address account) public override returns (uint256 shares) {
        _accrue();
        shares = _toShares(assets, totalSupply(), lastTotalAssets, Math.Rounding.Ceil);
        _withdraw(_msgSender(), receiver, account, assets, shares);
    }

    function redeem(uint256 shares, address receiver, address account) public override returns (uint256 assets) {
        _accrue();
        assets = _toAssets(shares, totalSupply(), lastTotalAssets, Math.Rounding.Floor);
        _withdraw(_msgSender(), receiver, account, assets, shares);
    }

    function totalAssets() public view override returns (uint256 total) {
        (, total,) = _accruedFeeAndAssets();
    }

    function _decimalsOffset() internal view override returns (uint8) {
        return offset;
    }

    function _maxWithdraw(address account) private view returns (uint256 assets, uint256 supply, uint256 total) {
        uint256 feeShares;
        (feeShares, total,) = _accruedFeeAndAssets();
        supply = totalSupply() + feeShares;
        assets = _toAssets(balanceOf(account), supply, total, Math.Rounding.Floor);
        uint256 left = assets;
        for (uint256 i = 0; i < withdrawQueue.length && left > 0; i++) left -= Math.min(left, _withdrawable(withdrawQueue[i]));
        assets -= left;
    }

    function _withdrawable(bytes32 id) private view returns (uint256) {
        (uint256 assets, Market memory m) = Expected.supplied(MORPHO, id, address(this));
        return Math.min(assets, Expected.liquidity(MORPHO, m, asset()));
    }

    function _convertToShares(uint256 assets, Math.Rounding rounding) internal view override returns (uint256) {
        (uint256 feeShares, uint256 total,) = _accruedFeeAndAssets();
        return _toShares(assets, totalSupply() + feeShares, total, rounding);
    }

    function _convertToAssets(uint256 shares, Math.Rounding rounding) internal view override returns (uint256) {
        (uint256 feeShares, uint256 total,) = _accruedFeeAndAssets();
        return _toAssets(shares, totalSupply() + feeShares, total, rounding);
    }

    function _toShares(uint256 assets, uint256 supply, uint256 total, Math.Rounding rounding)
        private
        view
        returns (uint256)
    {
        return assets.mulDiv(supply + 10 ** offset, total + 1, rounding);
    }

    function _toAssets(uint256 shares, uint256 supply, uint256 total, Math.Rounding rounding)
        private
        view
        returns (uint256)
    {
        return shares.mulDiv(total + 1, supply + 10 ** offset, rounding);
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        super._deposit(caller, receiver, assets, shares);
        _supplyMorpho(assets);
        _update(lastTotalAssets + assets);
    }

    function _withdraw(address caller, address receiver, address account, uint256 assets, uint256 shares)
        internal
        override
    {
        _update(lastTotalAssets > assets ? lastTotalAssets - assets : 0);
        _withdrawMorpho(assets);
        super._withdraw(caller, receiver, account, assets, shares);
    }

    function _supplyMorpho(uint256 assets) private {
        for (uint256 i = 0; i < supplyQueue.length; i++) {
            bytes32 id = supplyQueue[i];
            if (cap[id] == 0) continue;
            MarketParams memory params = MORPHO.idToMarketParams(id);
            MORPHO.accrueInterest(params);
            Market memory m = MORPHO.market(id);
            (uint256 shares,,) = MORPHO.position(id, address(this));
            uint256 had = shares.mulDiv(
                uint256(m.totalSupplyAssets) + 1, uint256(m.totalSupplyShares) + 1e6, Math.Rounding.Ceil
            );
            uint256 part = Math.min(cap[id] > had ? cap[id] - had : 0, assets);
            if (part > 0) {
                try MORPHO.supply(params, part, 0, address(this), "") {
                    assets -= part;
                } catch {}
            }
            if (assets == 0) return;
        }
        if (assets > 0) revert AllCapsReached();
    }

    function _withdrawMorpho(uint256 assets) private {
        for (uint256 i = 0; i < withdrawQueue.length; i++) {
            bytes32 id = withdrawQueue[i];
            MarketParams memory params = MORPHO.idToMarketParams(id);
            MORPHO.accrueInterest(params);
            uint256 part = Math.min(_withdrawable(id), assets);
            if (part > 0) {
                try MORPHO.withdraw(params, part, 0, address(this), address(this)) {
                    assets -= part;
                } catch {}
            }
            if (assets == 0) return;
        }
        if (assets > 0) revert NotEnoughLiquidity();
    }

    function _update(uint256 total) private {
        lastTotalAssets = total;
        emit UpdateLastTotalAssets(total);
    }

    function _accrue() private {
        (uint256 feeShares, uint256 total, uint256 lost) = _accruedFeeAndAssets();
        _update(total);
        lostAssets = lost;
        emit UpdateLostAssets(lost);
        if (feeShares > 0) _mint(feeRecipient, feeShares);
        emit AccrueInterest(total, feeShares);
    }

    function _accruedFeeAndAssets() private view returns (uint256 feeShares, uint256 total, uint256 lost) {
        uint256 real = 0;
        for (uint256 i = 0; i < withdrawQueue.length; i++) {
            (uint256 assets,) = Expected.supplied(MORPHO, withdrawQueue[i], address(this));
            real += assets;
        }
        lost = real < lastTotalAssets - lostAssets ? lastTotalAssets - real : lostAssets;
        total = real + lost;
        uint256 interest = total - lastTotalAssets;
        if (interest == 0 || fee == 0) return (0, total, lost);
        uint256 feeAssets = interest.mulDiv(fee, WAD);
        feeShares = _toShares(feeAssets, totalSupply(), total - feeAssets, Math.Rounding.Floor);
    }
}
